import fc from "fast-check";

/** Texts that have a meaning in one of the protocols, or that a protocol cannot carry. */
const pieces: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...[..."\0\u0001\t\n\u000b\f\r \u001f\u007f\u0085\u00a0\u2028\u2029\u3000.*>#+/\\$%:;,=|?[]{}()!@~\"'&"],
  ),
  fc.constantFrom(
    "\r\n",
    "\r\n\r\n",
    " 0\r\n\r\nPUB evil.{mark} 2\r\nhi\r\n",
    "\r\nUNSUB 1\r\n",
    "\r\nSUB > 9\r\n",
    "\n\nX-Evil: {mark}",
    "..",
    "../",
    "/..",
    "*.>",
    "#/+",
    "$share/a/b",
    "$SYS",
    "$JS.API.STREAM.PURGE.{mark}_jets",
    "$KV.{mark}.{mark}",
    "_INBOX.{mark}",
    "amq.topic",
    "amq.rabbitmq.reply-to",
    "amq.rabbitmq.trace",
    "\ufffe",
    "\ufdd0",
    "\ud800",
    "\udfff",
    "\udcc0\udcaf", // the bytes of an overlong slash
    "\udcff",
    "\ud83d\ude00",
    "käse",
    "4294967296",
    "256",
    "-1",
    "00",
    "NaN",
    "Infinity",
    "1e999",
    "9999999999999h",
    "-9999999999999h",
    "1ns",
  ),
  fc.constantFrom(249, 250, 255, 256, 2048, 4096, 65_535, 70_000).map((length) => "a".repeat(length)),
  fc.constantFrom(200, 5000).map((length) => "/".repeat(length)),
  fc.constantFrom("a", "B", "7", "-", "_", "order"),
  fc.string({ unit: "binary", maxLength: 4 }),
);

/** Texts that try to break a protocol; `mark` is part of the effect that they would have on a broker. */
export function hostileTexts(mark: string): fc.Arbitrary<string> {
  return fc.array(pieces, { maxLength: 4 }).map((parts) => parts.join("").replaceAll("{mark}", mark));
}
