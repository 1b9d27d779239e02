// Counters and random numbers. Each call in a mapping has its own state.

import { MappingError } from "../errors.ts";
import { deleted, nothing, type Value } from "../message/value.ts";
import { bigArgument } from "./arguments.ts";
import { signedInteger } from "./casts.ts";
import { within } from "./evaluate.ts";
import { wrongType } from "./failures.ts";
import { integer, maxInt64, numeric, truncate } from "./numeric.ts";

/** A query bound to the context of its call. */
export type Thunk = () => Value;

/** The state of one counter. `bounds` is set by its first call. */
export interface CounterState {
  bounds: { readonly min: bigint; readonly max: bigint } | undefined;
  current: bigint;
}

/** Returns a counter before its first call. */
export function createCounter(): CounterState {
  return { bounds: undefined, current: 0n };
}

/**
 * `counter(min, max, set)`: counts from `min` up to `max` and starts over. If `set` is a number, the count continues
 * from it. If it is null, the call returns the current count without counting. If it is `deleted()`, the count starts
 * over.
 */
export function counter(state: CounterState, min?: Thunk, max?: Thunk, set?: Thunk): Value {
  const bounds = state.bounds ?? startCounter(state, min, max);
  const given = set === undefined ? nothing : within("failed to resolve set argument", set);
  if (given === null) return integer(state.current);
  if (given === deleted) {
    state.current = bounds.min - 1n;
  } else if (given !== nothing) {
    state.current = within("failed to resolve set argument", () => wholePart(given));
    return integer(state.current);
  }
  const reached = BigInt.asIntN(64, state.current + 1n);
  state.current = reached >= bounds.max ? bounds.min - 1n : reached;
  return integer(reached);
}

/** The state of a random number generator. `next` is set once the generator is seeded. */
export interface RandomState {
  next: (() => number) | undefined;
}

/** Returns a generator before its first call. */
export function createRandom(): RandomState {
  return { next: undefined };
}

/** `random_int(seed, min, max)`: equal seeds produce equal numbers. The seed is evaluated only once. */
export function randomInt(state: RandomState, seed: Thunk | undefined, min: Value, max: Value): Value {
  const call = "function 'random_int'";
  const [least, most] = [bigArgument(call, "min", min), bigArgument(call, "max", max)];
  state.next ??= createGenerator(seed === undefined ? 0n : seedOf(seed));
  return integer(least + randomBelow(most - least + 1n, state.next));
}

function startCounter(
  state: CounterState,
  minimum?: Thunk,
  maximum?: Thunk,
): NonNullable<CounterState["bounds"]> {
  const min =
    minimum === undefined ? 1n : within("failed to resolve min argument", () => signedInteger(minimum()));
  if (min < 0n) throw new MappingError(`min argument must be >0, got ${min}`);
  const max =
    maximum === undefined
      ? maxInt64
      : within("failed to resolve max argument", () => signedInteger(maximum()));
  if (max <= min) throw new MappingError(`max argument must be >0 and >min, got ${max}`);
  state.bounds = { min, max };
  state.current = min - 1n;
  return state.bounds;
}

/** Unlike the bounds, `set` takes numbers only, and cuts fractions off. */
function wholePart(value: Value): bigint {
  const number = numeric(value);
  if (number === undefined) throw wrongType("", ["number"], value);
  return BigInt(truncate(number));
}

function seedOf(seed: Thunk): bigint {
  return within("failed to seed random number generator", () => signedInteger(seed()));
}

/**
 * Returns a uniformly distributed number below `limit`. Draws again if a number would make small results more likely.
 */
function randomBelow(limit: bigint, next: () => number): bigint {
  const all = 2n ** 64n;
  const fair = all - (all % limit);
  for (;;) {
    const drawn = (BigInt(next()) << 32n) | BigInt(next());
    if (drawn < fair) return drawn % limit;
  }
}

/** Returns a generator of 32-bit numbers: Small Fast Counting by Chris Doty-Humphrey. */
export function createGenerator(seed: bigint): () => number {
  let a = Number(BigInt.asIntN(32, seed));
  let b = Number(BigInt.asIntN(32, seed >> 32n));
  let c = 0x9e3779b9;
  let count = 1;
  const next = () => {
    const drawn = (a + b + count++) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + drawn) | 0;
    return drawn >>> 0;
  };
  // Discard the first numbers, which are similar for similar seeds.
  for (let round = 0; round < 12; round++) next();
  return next;
}
