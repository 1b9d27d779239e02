// Mutates known texts into nearly correct ones: flips, inserts, deletes, repeats, truncates and splices bytes.

/** A seeded random number generator: each call returns an integer from 0 (inclusive) to `limit` (exclusive). */
export type Random = (limit: number) => number;

/** Creates a generator (mulberry32). The same seed produces the same numbers on every machine. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

/** Byte sequences to insert that have a meaning in one of the languages. */
const reporting = [
  ..."\"'`$!{}[]()<>|&=-+*/%.,:;@#?_~\\ \t\n\r0189aex",
  ...["${!", "->", "=>", "|-", "\r\n", "${", "}}", '"""', "\\u", "&a ", "*a", "<<: ", "- ", ": ", "? "],
  ...["if ", "match ", "else ", "root", "this", "meta ", "let ", "map ", "import ", "deleted()", "null"],
  ...["9223372036854775808", "-0", "1e999", "__proto__", "constructor", "\u2028", "\ufeff", "é", "😀"],
].map((text) => new TextEncoder().encode(text));
const noText = [0x00, 0x7f, 0x80, 0xc0, 0xed, 0xff].map((byte) => Uint8Array.of(byte));

/** Applies one or two changes to `bytes`, or, in half of the cases, up to `most`. Splices take their parts from `others`. */
export function mutate(
  bytes: Uint8Array,
  others: readonly Uint8Array[],
  random: Random,
  most = 8,
): Uint8Array {
  let changed = bytes;
  for (let left = 1 + random(random(2) === 0 ? 2 : most); left > 0; left--) {
    const change = changes[random(changes.length)];
    if (change !== undefined) changed = change(changed, others, random);
  }
  return changed;
}

type Change = (bytes: Uint8Array, others: readonly Uint8Array[], random: Random) => Uint8Array;

const changes: readonly Change[] = [
  function flip(bytes, _others, random) {
    const at = random(bytes.length);
    return bytes.map((byte, index) => (index === at ? byte ^ (1 << random(8)) : byte));
  },
  function insert(bytes, _others, random) {
    const pool = random(8) === 0 ? noText : reporting;
    const at = random(bytes.length + 1);
    return replace(bytes, at, at, pool[random(pool.length)] ?? bytes);
  },
  function replaceByToken(bytes, _others, random) {
    const [start, end] = section(bytes, random, 6);
    return replace(bytes, start, end, reporting[random(reporting.length)] ?? bytes);
  },
  function remove(bytes, _others, random) {
    const [start, end] = section(bytes, random, 24);
    return replace(bytes, start, end, new Uint8Array());
  },
  function duplicate(bytes, _others, random) {
    const [start, end] = section(bytes, random, 48);
    return replace(bytes, end, end, bytes.subarray(start, end));
  },
  function truncate(bytes, _others, random) {
    return random(4) === 0 ? bytes.subarray(0, random(bytes.length + 1)) : bytes;
  },
  function splice(bytes, others, random) {
    const other = others[random(others.length)] ?? bytes;
    const [start, end] = section(bytes, random, 40);
    return replace(bytes, start, end, other.subarray(...section(other, random, 60)));
  },
];

function section(bytes: Uint8Array, random: Random, longest: number): [start: number, end: number] {
  const start = random(bytes.length + 1);
  return [start, Math.min(bytes.length, start + random(longest + 1))];
}

function replace(bytes: Uint8Array, start: number, end: number, by: Uint8Array): Uint8Array {
  return Buffer.concat([bytes.subarray(0, start), by, bytes.subarray(end)]);
}
