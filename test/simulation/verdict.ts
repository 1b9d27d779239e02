import type { PortalOutcome } from "./portal.ts";
import type { Beat } from "./sink.ts";

/** The outcome of a simulation. */
export interface Outcome {
  readonly beats: readonly Beat[];
  /** Every acquisition of the lease, from the replicas' logs. */
  readonly holdings: readonly { readonly life: string; readonly fence?: number }[];
  /** Numbers that a broker accepted, or a caller got a 200 for, but that never arrived. */
  readonly lost: Readonly<Record<string, readonly number[]>>;
  /** Messages that a source would deliver again although all have arrived. */
  readonly remaining: Readonly<Record<string, number>>;
  /** How often the limited key may be used; `granted` is how often it was. */
  readonly quota: number;
  readonly granted: number;
  /** Requests whose response does not show whether they counted against the quota. */
  readonly uncertain: number;
  readonly exits: readonly (number | NodeJS.Signals)[];
  readonly portal: PortalOutcome | undefined;
  /** Faults that may lose the response to a webhook, at most one each. */
  readonly interruptions: number;
}

/** Returns the promises that were broken; empty if all held. */
export function brokenPromises(outcome: Outcome): string[] {
  const { lost, remaining, quota, granted, uncertain, exits } = outcome;
  const found: string[] = [];
  for (const [source, numbers] of Object.entries(lost))
    if (numbers.length > 0)
      found.push(`${source}: ${numbers.length} messages lost, among them ${numbers.slice(0, 10)}`);
  for (const [source, count] of Object.entries(remaining))
    if (count > 0) found.push(`${source}: ${count} messages not acknowledged at the end`);
  if (granted > quota) found.push(`${granted} requests were granted of a quota of ${quota}`);
  if (granted + uncertain < quota)
    found.push(
      `${granted} of ${quota} requests were granted, and only ${uncertain} may have counted besides`,
    );
  const bad = exits.filter((exit) => exit !== 0);
  if (bad.length > 0) found.push(`SIGTERM ended a replica with ${bad.join(", ")}`);
  return [...found, ...sharedHoldings(outcome), ...brokenByPortal(outcome)];
}

function brokenByPortal({ portal, interruptions }: Outcome): string[] {
  if (portal === undefined) return [];
  const { lost, disordered, repeated, inconsistent } = portal;
  const count = (what: string, items: readonly unknown[]) =>
    items.length === 0 ? [] : [`${items.length} ${what}, among them ${items.slice(0, 5).join("; ")}`];
  return [
    ...count("events of which no webhook was told", lost),
    ...count("webhooks out of order", disordered),
    ...(repeated > interruptions
      ? [`${repeated} webhooks came again, after ${interruptions} interruptions`]
      : []),
    ...count("developers that replicas do not list once", inconsistent),
  ];
}

/**
 * A process of a replica makes messages in turns, one for each time that it holds the lease. If two processes held it
 * simultaneously, their messages alternate more often than the lease was acquired.
 */
function sharedHoldings({ beats, holdings }: Outcome): string[] {
  // The sort is stable: if timestamps are equal, the message that arrived later was made later.
  const inOrder = beats.toSorted((one, other) => one.made - other.made);
  const turns = inOrder.filter(({ life }, index) => life !== inOrder[index - 1]?.life);
  const countOf = (of: readonly { readonly life: string }[], wanted: string) =>
    of.filter(({ life }) => life === wanted).length;
  const found = [...new Set(turns.map(({ life }) => life))].flatMap((life) => {
    const [made, held] = [countOf(turns, life), countOf(holdings, life)];
    return made > held ? [`${life} made messages in ${made} turns, and held the lease ${held} times`] : [];
  });
  const holders = Map.groupBy(holdings, ({ fence }) => fence);
  for (const [fence, held] of holders)
    if (new Set(held.map(({ life }) => life)).size > 1)
      found.push(`fencing token ${fence} was of ${held.map(({ life }) => life)}`);
  return found;
}
