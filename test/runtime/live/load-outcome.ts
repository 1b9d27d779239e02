// What came of a load that went on while versions changed: what is wrong with it, and its figures.

import type { Client, Receipts } from "./load.ts";

/** A load that is over. */
export interface Load {
  /** Messages written, numbered from 0, each of which every client has to get. */
  readonly sent: number;
  /** A second. */
  readonly rate: number;
  readonly clients: readonly Client[];
  /** Two clients of the stream that was changed: one version has each message. */
  readonly changed: readonly [Receipts, Receipts];
  /** Those of requests, what arrived of their bodies, and what was answered wrongly. */
  readonly requests: { readonly sent: number; readonly posted: Receipts; readonly failed: readonly string[] };
}

export interface LoadOutcome {
  /** What was lost, doubled, refused or dropped. */
  readonly faults: readonly string[];
  /** How many versions had a message of the changed stream to process. */
  readonly versions: number;
  /** Lines to print. */
  readonly figures: readonly string[];
}

/** Judges a load when everything that was sent had its time to arrive. */
export function judgeLoad({ sent, rate, clients, changed, requests }: Load): LoadOutcome {
  const dropped = clients.filter(({ isDropped }) => isDropped());
  const versions = new Set<number>();
  const mixed: string[] = [];
  const [first, second] = changed;
  for (let number = 0; number < sent; number += 1) {
    const [one, other] = [first.versionOf(number), second.versionOf(number)];
    if (one !== other) mixed.push(`message ${number} was processed by ${one} and ${other}`);
    versions.add(one);
  }
  return {
    faults: [
      ...clients.flatMap(({ receipts }) => receipts.faults(sent)),
      ...requests.posted.faults(requests.sent),
      ...requests.failed,
      ...dropped.map(({ receipts }) => `${receipts.name} was dropped`),
      ...mixed,
    ],
    versions: versions.size,
    figures: [
      `messages      ${sent} in, ${rate.toFixed(0)} a second, to each of ${clients.length} clients; processed by ${versions.size} versions`,
      `requests      ${requests.sent}, ${requests.failed.length} failed`,
      `clients       ${dropped.length} dropped`,
    ],
  };
}

/** Of milliseconds: `12.1 ms in the median, 40.0 ms at most`. */
export function durationsText(durations: readonly number[]): string {
  const sorted = durations.toSorted((a, b) => a - b);
  return `${sorted[Math.floor(sorted.length / 2)]?.toFixed(1)} ms in the median, ${sorted.at(-1)?.toFixed(1)} ms at most`;
}
