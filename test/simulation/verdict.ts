import type { PortalOutcome } from "./portal.ts";
import type { Beat } from "./sink.ts";

/** What came of a simulation. */
export interface Outcome {
  readonly beats: readonly Beat[];
  /** Each holding of the lease, as the replicas' logs have it. */
  readonly holdings: readonly { readonly life: string; readonly fence?: number }[];
  /** Numbers that a broker took, or a caller was answered 200 for, and that arrived nowhere. */
  readonly lost: Readonly<Record<string, readonly number[]>>;
  /** Messages that a source would deliver once more although all have arrived. */
  readonly remaining: Readonly<Record<string, number>>;
  /** Answers to those that used a key which may be used `quota` times. */
  readonly quota: number;
  readonly granted: number;
  /** Requests whose answer says neither that they counted nor that they did not. */
  readonly uncertain: number;
  readonly exits: readonly (number | NodeJS.Signals)[];
  readonly portal: PortalOutcome | undefined;
  /** Faults by which the answer to a webhook may be lost, each at most once. */
  readonly interruptions: number;
}

/** Which promises were broken; empty where all held. */
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
 * A life of a replica makes messages in turns, one for each time that it holds the lease. Where two held it at once, their
 * messages alternate more often than the lease was acquired.
 */
function sharedHoldings({ beats, holdings }: Outcome): string[] {
  // What arrived later was made later, where the clock is too coarse to say.
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
