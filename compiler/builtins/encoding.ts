// Encodings, hashes, compression and JSON as text. They are implemented in runtime/mapping/encoding.ts, hashing.ts,
// compression.ts and json-text.ts.

import { type Builtin, type Details, method, optional, parameter } from "./builtin.ts";
import { textUnlessNull } from "./results/shapes.ts";
import { withArguments } from "./results/target.ts";

const text: Details = { targets: ["string", "bytes"] };

export const encoding: readonly Builtin[] = [
  method("encoding.ts", "encode", "In base64, base64url, base64rawurl, hex, ascii85 or z85.", {
    ...text,
    returns: "string",
    args: [parameter("scheme", "string")],
    rule: "encoding",
  }),
  method("encoding.ts", "decode", "The bytes an encoded text stands for.", {
    ...text,
    returns: "bytes",
    args: [parameter("scheme", "string")],
    rule: "decoding",
  }),
  method("hashing.ts", "hash", "The digest by an algorithm, with a key for those that take one.", {
    ...text,
    returns: "bytes",
    rule: "hash",
    args: [
      parameter("algorithm", "string"),
      optional("key", "string"),
      parameter("polynomial", "string", "IEEE"),
    ],
  }),
  method("hashing.ts", "uuid_v5", "The UUID of a name within a namespace; null of null.", {
    targets: ["string", "bytes", "null"],
    result: textUnlessNull,
    args: [optional("ns", "string")],
    // A namespace can be invalid.
    fails: withArguments,
  }),
  method("compression.ts", "compress", "Compressed by an algorithm, at a level where it has them.", {
    targets: ["string", "bytes", "timestamp"],
    returns: "bytes",
    plugin: true,
    args: [parameter("algorithm", "string"), parameter("level", "integer", -1n)],
    rule: "compression",
  }),
  method("compression.ts", "decompress", "Decompressed by an algorithm.", {
    ...text,
    returns: "bytes",
    plugin: true,
    args: [parameter("algorithm", "string")],
    rule: "decompression",
  }),
  method("json-text.ts", "parse_json", "The value a JSON text stands for.", {
    ...text,
    args: [optional("use_number", "bool")],
    symbol: "parseJsonValue",
  }),
  method("json-text.ts", "format_json", "The value as JSON, laid out over lines or not.", {
    args: [
      parameter("indent", "string", "    "),
      parameter("no_indent", "bool", false),
      parameter("escape_html", "bool", true),
    ],
    canFail: false,
    returns: "bytes",
  }),
];
