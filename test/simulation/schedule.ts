import type { Random } from "../fuzz/byte-mutator.ts";
import type { SourceName } from "./sources.ts";

/** A connection of a replica to what it shares with the others, each with its own network. */
export type Link = "leases" | "limits" | "store" | SourceName;

/** The replica that a fault hits: the one that holds the lease, or one that waits for it. */
export const roles = ["holder", "waiting", "last"] as const;

/** Faults of connections. */
const networkKinds = ["partition", "half-open", "slow", "reset"] as const;
/** Faults of processes. */
const processKinds = ["kill", "stop", "suspend", "clock"] as const;

interface Moment {
  readonly role: (typeof roles)[number];
  /** The number of messages of the generator between the start of the fault and the next step. */
  readonly beats: number;
  /** Whether the fault continues during the next one. */
  readonly lasts: boolean;
}

/** A fault and its target. */
export type Fault = Moment &
  (
    | { readonly kind: (typeof networkKinds)[number]; readonly links: readonly Link[] }
    | { readonly kind: "kill" | "stop" | "suspend" }
    /** Minutes by which the clock is wrong from now on. */
    | { readonly kind: "clock"; readonly minutes: number }
  );

/**
 * Returns `count` faults: each kind once in every eight, in random order. Network faults hit one of `links`, or all.
 */
export function planFaults(count: number, random: Random, links: readonly Link[]): readonly Fault[] {
  const faults: Fault[] = [];
  while (faults.length < count)
    faults.push(...shuffled([...networkKinds, ...processKinds], random).map(plan));
  return faults.slice(0, count);

  function plan(kind: (typeof networkKinds)[number] | (typeof processKinds)[number]): Fault {
    // Most faults hit the holder: the others wait, and have less to lose.
    const role = roles[random(2) === 0 ? 0 : random(roles.length)] ?? "holder";
    const moment = { role, beats: 5 + random(40), lasts: random(3) === 0 };
    switch (kind) {
      case "kill":
      case "stop":
      case "suspend":
        return { ...moment, kind };
      case "clock":
        return { ...moment, kind, minutes: random(5) - 2 };
      default:
        return {
          ...moment,
          kind,
          links: random(3) === 0 ? links : [links[random(links.length)] ?? "leases"],
        };
    }
  }
}

/** Describes a fault in one line of the schedule. */
export function describeFault(fault: Fault): string {
  const details =
    "links" in fault ? ` of ${fault.links.join(", ")}` : "minutes" in fault ? ` to ${fault.minutes} min` : "";
  return `${fault.kind}${details}: ${fault.role}, ${fault.beats} beats${fault.lasts ? ", and during the next" : ""}`;
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  const left = [...items];
  return items.flatMap(() => left.splice(random(left.length), 1));
}
