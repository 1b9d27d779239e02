// Encodings, hashes, compression and JSON as text. They are implemented in runtime/mapping/encoding.ts, hashing.ts,
// compression.ts and json-text.ts.

import { type Builtin, type Details, method, optional, parameter, secretText } from "./builtin.ts";
import { textUnlessNull } from "./results/shapes.ts";
import { withArguments } from "./results/target.ts";

const text: Details = { targets: ["string", "bytes"] };

export const encoding: readonly Builtin[] = [
  method(
    "encoding.ts",
    "encode",
    "Encodes the value as base64, base64url, base64rawurl, hex, ascii85 or z85.",
    {
      ...text,
      returns: "string",
      args: [parameter("scheme", "string")],
      rule: "encoding",
    },
  ),
  method("encoding.ts", "decode", "Decodes an encoded string to bytes.", {
    ...text,
    returns: "bytes",
    args: [parameter("scheme", "string")],
    rule: "decoding",
  }),
  method(
    "hashing.ts",
    "hash",
    "The hash of the value by an algorithm, with a key for algorithms that use one.",
    {
      ...text,
      returns: "bytes",
      rule: "hash",
      args: [
        parameter("algorithm", "string"),
        { ...secretText("key"), optional: true },
        parameter("polynomial", "string", "IEEE"),
      ],
    },
  ),
  method("hashing.ts", "uuid_v5", "The version 5 UUID of a name in a namespace. Returns null for null.", {
    targets: ["string", "bytes", "null"],
    result: textUnlessNull,
    args: [optional("ns", "string")],
    // A namespace can be invalid.
    fails: withArguments,
  }),
  method(
    "compression.ts",
    "compress",
    "Compresses the value with an algorithm, at a level if the algorithm supports levels.",
    {
      targets: ["string", "bytes", "timestamp"],
      returns: "bytes",
      args: [parameter("algorithm", "string"), parameter("level", "integer", -1n)],
      rule: "compression",
    },
  ),
  method("compression.ts", "decompress", "Decompresses the value with an algorithm.", {
    ...text,
    returns: "bytes",
    args: [parameter("algorithm", "string")],
    rule: "decompression",
  }),
  method("json-text.ts", "parse_json", "Parses a JSON document.", {
    ...text,
    args: [optional("use_number", "bool")],
    symbol: "parseJsonValue",
  }),
  method("json-text.ts", "format_json", "Formats the value as JSON, indented or on one line.", {
    args: [
      parameter("indent", "string", "    "),
      parameter("no_indent", "bool", false),
      parameter("escape_html", "bool", true),
    ],
    returns: "bytes",
  }),
];
