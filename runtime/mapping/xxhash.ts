// The hash XXH64, which Node's own digests lack.

const prime1 = 0x9e3779b185ebca87n;
const prime2 = 0xc2b2ae3d27d4eb4fn;
const prime3 = 0x165667b19e3779f9n;
const prime4 = 0x85ebca77c2b2ae63n;
const prime5 = 0x27d4eb2f165667c5n;

/** The hash of `bytes` with seed 0, a uint64. */
export function xxhash64(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { length } = bytes;
  let at = 0;
  let hash = prime5;
  if (length >= 32) {
    const lanes = [wrap(prime1 + prime2), prime2, 0n, wrap(-prime1)];
    for (; at + 32 <= length; at += 32) {
      for (let lane = 0; lane < 4; lane++)
        lanes[lane] = round(lanes[lane] ?? 0n, view.getBigUint64(at + lane * 8, true));
    }
    hash = mergeLanes(lanes);
  }
  hash = wrap(hash + BigInt(length));
  for (; at + 8 <= length; at += 8) {
    hash ^= round(0n, view.getBigUint64(at, true));
    hash = wrap(rotate(hash, 27n) * prime1 + prime4);
  }
  if (at + 4 <= length) {
    hash ^= wrap(BigInt(view.getUint32(at, true)) * prime1);
    hash = wrap(rotate(hash, 23n) * prime2 + prime3);
    at += 4;
  }
  for (; at < length; at++)
    hash = wrap(rotate(hash ^ wrap(BigInt(view.getUint8(at)) * prime5), 11n) * prime1);
  return avalanche(hash);
}

function mergeLanes(lanes: readonly bigint[]): bigint {
  const turns = [1n, 7n, 12n, 18n];
  let hash = wrap(lanes.reduce((sum, lane, index) => sum + rotate(lane, turns[index] ?? 0n), 0n));
  for (const lane of lanes) hash = wrap((hash ^ round(0n, lane)) * prime1 + prime4);
  return hash;
}

function avalanche(hash: bigint): bigint {
  const first = wrap((hash ^ (hash >> 33n)) * prime2);
  const second = wrap((first ^ (first >> 29n)) * prime3);
  return second ^ (second >> 32n);
}

function round(lane: bigint, input: bigint): bigint {
  return wrap(rotate(wrap(lane + input * prime2), 31n) * prime1);
}

function rotate(value: bigint, by: bigint): bigint {
  return wrap(value << by) | (value >> (64n - by));
}

function wrap(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}
