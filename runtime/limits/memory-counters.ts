// Counts in the memory of this process, in so much of it and no more.

import type { Claim, Counters, Occupancy, Seat, Standing } from "../counters.ts";

/** Microseconds since some moment, whole and never less than before. */
export type Clock = () => number;

/** Settings of counters in memory. */
export interface MemoryCountersOptions {
  /** Most counters that are kept. */
  readonly most?: number;
  readonly clock?: Clock;
  /** Told how many counters that still held somebody up had to be given up. */
  readonly onGivenUp?: (count: number) => void;
}

/** About 40 MB. */
const defaultMost = 200_000;
/** Of the most, what is left when room was made, so that it is seldom made. */
const keptShare = 0.9;

/**
 * A rate is a bucket that leaks (the generic cell rate algorithm): `level` is what was poured in and has not run out, in
 * requests times microseconds of their period, which keeps it whole where the rate is. Of a quota it is the requests.
 */
interface Counter {
  level: number;
  /** When `level` was true; of a quota, when its period ends. */
  at: number;
  /** When it is as good as none. */
  freeAt: number;
  /** What `level` becomes if every claim passes. */
  next: number;
}

/**
 * Counters in memory. Beyond `most` room is made by dropping those that hold nobody up; if all do, those that would be
 * free soonest. To have a counter dropped, somebody has to fill as many others at least as far, and could have sent the
 * requests under those.
 */
export function createMemoryCounters(options: MemoryCountersOptions = {}): Counters {
  const { most = defaultMost, clock = now, onGivenUp } = options;
  const counters = new Map<string, Counter>();
  const connections = createConnectionCounts();

  function find(claim: Claim): Counter {
    const known = counters.get(claim.key);
    if (known !== undefined) return known;
    const counter = { level: 0, at: 0, freeAt: 0, next: 0 };
    counters.set(claim.key, counter);
    return counter;
  }

  function makeRoom(time: number): void {
    for (const [key, { freeAt }] of counters) if (freeAt <= time) counters.delete(key);
    const surplus = counters.size - Math.floor(most * keptShare);
    if (surplus <= 0) return;
    const ends = Float64Array.from(counters.values(), ({ freeAt }) => freeAt).sort();
    const latest = ends[surplus - 1] ?? Number.POSITIVE_INFINITY;
    let left = surplus;
    for (const [key, { freeAt }] of counters) {
      if (left === 0) break;
      if (freeAt > latest) continue;
      counters.delete(key);
      left -= 1;
    }
    onGivenUp?.(surplus);
  }

  return {
    take(claims) {
      const time = clock();
      if (counters.size + claims.length > most) makeRoom(time);
      const found = claims.map(find);
      const standings: Standing[] = [];
      let refusedBy = -1;
      let wait = 0;
      for (let position = 0; position < claims.length; position += 1) {
        const claim = claims[position];
        const counter = found[position];
        if (claim === undefined || counter === undefined) continue;
        const excess = claim.kind === "rate" ? pour(claim, counter, time) : count(claim, counter, time);
        if (excess > 0 && refusedBy === -1) {
          refusedBy = position;
          wait = excess;
        }
      }
      for (let position = 0; position < claims.length; position += 1) {
        const claim = claims[position];
        const counter = found[position];
        if (claim === undefined || counter === undefined) continue;
        standings.push(settle(claim, counter, time, refusedBy === -1));
      }
      return { refusedBy, wait, standings };
    },
    enter: connections,
  };
}

/** Microseconds until a rate would pass one more; 0 where it does. */
function pour(claim: Claim & { kind: "rate" }, counter: Counter, time: number): number {
  const { rate, per } = claim;
  counter.level = Math.max(0, counter.level - (time - counter.at) * rate);
  counter.at = time;
  counter.next = counter.level + per;
  return Math.max(0, Math.ceil((counter.next - capacityOf(claim)) / rate));
}

/** As `pour`, of a quota. */
function count({ max }: Claim & { kind: "quota" }, counter: Counter, time: number): number {
  if (counter.level > 0 && counter.at <= time) counter.level = 0;
  counter.next = counter.level + 1;
  if (counter.next <= max) return 0;
  return counter.level === 0 ? Number.POSITIVE_INFINITY : counter.at - time;
}

/** Writes down the request where it `isCounted`, and says what is left. */
function settle(claim: Claim, counter: Counter, time: number, isCounted: boolean): Standing {
  if (claim.kind === "quota") {
    if (isCounted) {
      if (counter.level === 0) {
        counter.at = claim.renewal === 0 ? Number.POSITIVE_INFINITY : time + claim.renewal;
        counter.freeAt = counter.at;
      }
      counter.level = counter.next;
    }
    const reset = counter.level === 0 ? 0 : counter.at - time;
    return { remaining: Math.max(0, claim.max - counter.level), reset };
  }
  if (isCounted) counter.level = counter.next;
  const reset = Math.ceil(counter.level / claim.rate);
  counter.freeAt = time + reset;
  return { remaining: Math.floor((capacityOf(claim) - counter.level) / claim.per), reset };
}

/** A rate below one in its period still passes one. */
function capacityOf({ rate, per }: { readonly rate: number; readonly per: number }): number {
  return per * Math.max(1, rate);
}

/** Connections by name; what nobody holds takes no memory. */
function createConnectionCounts(): (seats: readonly Seat[]) => Occupancy | number {
  const open = new Map<string, number>();
  return (seats) => {
    const full = seats.findIndex(({ key, max }) => (open.get(key) ?? 0) >= max);
    if (full !== -1) return full;
    for (const { key } of seats) open.set(key, (open.get(key) ?? 0) + 1);
    let isOpen = true;
    return {
      leave() {
        if (!isOpen) return;
        isOpen = false;
        for (const { key } of seats) {
          const left = (open.get(key) ?? 1) - 1;
          if (left === 0) open.delete(key);
          else open.set(key, left);
        }
      },
    };
  };
}

function now(): number {
  return Math.floor(performance.now() * 1000);
}
