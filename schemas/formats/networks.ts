import type { Format } from "./format.ts";

const byte = "(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)";
const four = `${byte}(?:\\.${byte}){3}`;
const word = "[0-9A-Fa-f]{1,4}";
/** RFC 4291, section 2.2: eight words, or fewer with one `::` that stands for the omitted zeros. */
const six = [
  `(?:${word}:){7}${word}`,
  ...[1, 2, 3, 4, 5, 6].map((before) => `(?:${word}:){${before}}(?::${word}){1,${7 - before}}`),
  `(?:${word}:){1,7}:`,
  `:(?::${word}){1,7}`,
  "::",
  `::(?:[Ff]{4}:)?${four}`,
].join("|");

/** An IP address or a network (RFC 4632, section 3.1). */
export const network: Format = {
  title: "an IP address or a network",
  pattern: new RegExp(`^(?:${four}(?:/(?:3[0-2]|[12]?\\d))?|(?:${six})(?:/(?:12[0-8]|1[01]\\d|\\d?\\d))?)$`),
  faults: [
    [/^\s|\s$/, "it has spaces around it"],
    [/^[^/]+\/\D/, "`/` must be followed by the length of the prefix"],
    [/\*/, "wildcards are not supported; write the length of the prefix, as in `10.0.0.0/8`"],
    [/[g-zG-Z]/, "host names are not supported"],
  ],
  otherwise: "it is neither an IPv4 nor an IPv6 address",
  example: "10.0.0.0/8",
  fillings: [
    ...["1.1.1.1", "1.1.1", "1.1", "1.", ".1", ".1.1", ".1.1.1", "1.1."],
    ...["::", ":", "1:", "1::", "1:1:", "1:1:1:", "1:1:1:1:", "1:1:1:1:1:1"],
    ...["1:1:1", "1:1:1:1", ":1:1", ":1:1:1", ":1:1:1:1"],
  ],
};
