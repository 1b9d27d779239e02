// Parses numbers in Go's syntax, like the library of the reference engine.

const decimal = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const hexadecimal = /^([+-]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([+-]?[0-9]+)$/;
const special: ReadonlyMap<string, number> = /* @__PURE__ */ new Map([
  ["inf", Number.POSITIVE_INFINITY],
  ["infinity", Number.POSITIVE_INFINITY],
  ["nan", Number.NaN],
]);

/** Why a text is not a number. */
export type NumberFault = "invalid syntax" | "value out of range";

/**
 * Returns the float64 of a text such as `1_000.5e3`, `0x1p-2` or `-inf`, or the fault. `rounded`: rounds the number to
 * a smaller type, whose range then applies.
 */
export function readFloat(text: string, rounded = (value: number): number => value): number | NumberFault {
  const sign = text.startsWith("-") ? -1 : 1;
  const known = special.get(text.toLowerCase().replace(/^[+-]/, ""));
  if (known !== undefined) return sign * known;
  const value = text.includes("x") || text.includes("X") ? readHexadecimal(text) : readDecimal(text);
  if (value === undefined) return "invalid syntax";
  return Number.isFinite(rounded(value)) ? rounded(value) : "value out of range";
}

/** Underscores are only allowed between digits. */
function readDecimal(text: string): number | undefined {
  const digits = text.includes("_") ? text.replace(/(?<=[0-9])_(?=[0-9])/g, "") : text;
  return decimal.test(digits) ? Number(digits) : undefined;
}

/** The binary exponent is required. An underscore may follow the prefix. */
function readHexadecimal(text: string): number | undefined {
  const digits = text.replace(/(?<=[0-9a-fA-FxX])_(?=[0-9a-fA-F])/g, "");
  const [, sign, whole = "", fraction = "", exponent = ""] = hexadecimal.exec(digits) ?? [];
  if (sign === undefined || whole + fraction === "") return undefined;
  const magnitude = Number(`0x${whole}${fraction}`) * 2 ** (Number(exponent) - 4 * fraction.length);
  return sign === "-" ? -magnitude : magnitude;
}
