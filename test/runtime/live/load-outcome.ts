// Evaluates a load during which versions changed: its faults and its figures.

import type { Client, Receipts } from "./load.ts";

/** A completed load. */
export interface Load {
  /** How many messages were written, numbered from 0. Every client must receive each. */
  readonly sent: number;
  /** Messages per second. */
  readonly rate: number;
  readonly clients: readonly Client[];
  /** Two clients of the changed stream: one version processes each message. */
  readonly changed: readonly [Receipts, Receipts];
  /** How many requests were sent, which of their bodies arrived, and which responses were wrong. */
  readonly requests: { readonly sent: number; readonly posted: Receipts; readonly failed: readonly string[] };
}

export interface LoadOutcome {
  /** Messages that were lost, duplicated or refused, and clients that were dropped. */
  readonly faults: readonly string[];
  /** How many versions processed a message of the changed stream. */
  readonly versions: number;
  /** Lines to print. */
  readonly figures: readonly string[];
}

/** Evaluates a load after everything that was sent had time to arrive. */
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

/** Formats durations in milliseconds: `12.1 ms in the median, 40.0 ms at most`. */
export function durationsText(durations: readonly number[]): string {
  const sorted = durations.toSorted((a, b) => a - b);
  return `${sorted[Math.floor(sorted.length / 2)]?.toFixed(1)} ms in the median, ${sorted.at(-1)?.toFixed(1)} ms at most`;
}
