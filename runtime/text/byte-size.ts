// Numbers of bytes with a unit, as documents and environment variables spell them.

const factors: Readonly<Record<string, number>> = {
  b: 1,
  k: 1e3,
  kb: 1e3,
  m: 1e6,
  mb: 1e6,
  g: 1e9,
  gb: 1e9,
  ki: 2 ** 10,
  kib: 2 ** 10,
  mi: 2 ** 20,
  mib: 2 ** 20,
  gi: 2 ** 30,
  gib: 2 ** 30,
};

/** Bytes of `1MB` (a million), `1MiB` (1,048,576), `512`; `undefined` when the text is no size. */
export function parseByteSize(text: string): number | undefined {
  const [whole, amount = "", unit = ""] = /^(\d+(?:\.\d+)?) *([a-zA-Z]*)$/.exec(text) ?? [];
  const factor = factors[unit.toLowerCase() || "b"];
  return whole === undefined || factor === undefined ? undefined : Math.floor(Number(amount) * factor);
}
