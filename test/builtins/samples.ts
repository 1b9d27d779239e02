// Samples for the soundness test: values of every kind, and valid arguments for each builtin.

import * as crypto from "node:crypto";
import { hashSync } from "bcryptjs";
import { fieldOf } from "../../compiler/value-types/fields.ts";
import { arrayOf, deletedType, nothingType, nullType, type Type } from "../../compiler/value-types/type.ts";
import { SourceNumber, Timestamp, Unsigned, type Value, WholeFloat } from "../../runtime/message/value.ts";

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text));

/** The values on which every method is called. */
export const commonTargets: readonly Value[] = [
  null,
  true,
  false,
  0,
  5,
  -3,
  2.5,
  9007199254740993n,
  new WholeFloat(5),
  new Unsigned(2n ** 64n - 1n),
  new SourceNumber("1.0"),
  new SourceNumber("1e5"),
  "",
  "abc",
  " Ab\n ",
  "5",
  "true",
  "2020-01-02T03:04:05Z",
  bytesOf("abc"),
  bytesOf("7"),
  bytesOf("2020-01-02T03:04:05Z"),
  bytesOf(""),
  new Timestamp(1_577_934_245n, 5_000_000, "UTC"),
  [],
  [1, 2, 3],
  [2.5, new WholeFloat(1), -7],
  ["b", "a", ""],
  [bytesOf("b"), "a"],
  [1, "a", null],
  [[1], [2, 3]],
  [true, false],
  [{ a: 1 }, { a: "x", b: 2 }],
  {},
  { a: 1 },
  { a: { b: [1, 2], c: null }, d: "x" },
  { a: null, d: [{ e: 1 }, { e: 2 }] },
  { a: [1, "b"], b: { c: { d: 1 } } },
];

const secret = "sixteen bytes ok";
const rsa = keysOf(crypto.generateKeyPairSync("rsa", { modulusLength: 2048 }));
const curves = { es256: "P-256", es384: "P-384", es512: "P-521" } as const;
const ec = Object.fromEntries(
  Object.entries(curves).map(([name, namedCurve]) => [
    name,
    keysOf(crypto.generateKeyPairSync("ec", { namedCurve })),
  ]),
);

interface Keys {
  readonly publicKey: string;
  readonly privateKey: string;
}

function keysOf({ publicKey, privateKey }: crypto.KeyPairKeyObjectResult): Keys {
  return {
    publicKey: publicKey.export({ type: "spki", format: "pem" }).toString(),
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/** Returns the key that signs with an algorithm, and the key that verifies. */
export function keysFor(algorithm: string): Keys {
  if (algorithm.startsWith("hs")) return { publicKey: secret, privateKey: secret };
  return (algorithm.startsWith("rs") ? rsa : ec[algorithm]) ?? rsa;
}

/** The algorithms of tokens, as the names of builtins end. */
export const algorithms = ["hs", "rs", "es"].flatMap((family) =>
  ["256", "384", "512"].map((size) => family + size),
);

/** Further targets, for methods that expect a format. */
export const ownTargets: Readonly<Record<string, readonly Value[]>> = {
  unquote: ['"a\\n"'],
  ts_parse: ["2020-01-02"],
  ts_strptime: ["2020-01-02"],
  parse_timestamp: ["2020-01-02"],
  parse_timestamp_strptime: ["2020-01-02"],
  parse_duration: ["1h30m"],
  parse_duration_iso8601: ["PT1H"],
  decompress: [new Uint8Array(Buffer.from("H4sIAAAAAAAAA0tMSgYAwkEkNQMAAAA=", "base64")), "KLJ\u0006\u0000"],
  format_json: [[{ a: Number.NaN }]],
  parse_json: ['{"a":1}', "[1.5]", "null"],
  parse_yaml: ["a: 1", "- 1", "a: ["],
  parse_csv: ["a,b\n1,2\n"],
  parse_xml: ["<a><b>1</b></a>", "<a/>"],
  parse_msgpack: [new Uint8Array([0x81, 0xa1, 0x61, 0x01])],
  parse_url: ["https://user:pass@host/a%2Fb?c=d#e", "a"],
  parse_form_url_encoded: ["a=1&a=2&b=3", "%zz"],
  parse_logfmt: ['a=1 b="x" c', 'a="'],
  unescape_url_query: ["%zz", "%41"],
  unescape_url_path: ["%zz", "%41"],
  format_xml: [{ a: { "-b": "c", d: 1 } }, { "-a": [1] }, { a: { "-b": {} } }],
  patch: [{ a: 1 }],
  squash: [[{ a: 1 }, { a: 2, b: { c: 1 } }, { b: { c: 2 } }]],
  infer_schema: [[1, "a"]],
  filepath_join: [["a", "b"]],
  encode: [bytesOf("abcd")],
  decode: ["YWJj"],
  encrypt_aes: [secret],
  decrypt_aes: [secret],
  json_path: [{ a: 1 }],
  compare_argon2: [secret],
  compare_bcrypt: [secret],
  not_empty: [{ a: 1 }],
  format: ["%v %d %s", "%5.2f"],
  float64: ["x", "1e999"],
  timestamp: [1e18],
};

const rfc3339 = '"2006-01-02T15:04:05.999999999Z07:00"';
const iv = `"${secret}"`;

/** Argument lists by builtin (`name()` for functions), each for one call; without an entry, a builtin gets no arguments. */
export const argumentLists: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "throw()": [['"x"']],
  "bytes()": [["3"], ["0"], ["-1"], ["2.5"], ["67108865"]],
  "env()": [['"HOME"'], ['"no such variable"'], ['"HOME"', "true"]],
  "count()": [['"soundness"']],
  "metadata()": [[], ['"a"'], ['"b"'], ['""']],
  "meta()": [[], ['"a"'], ['"b"'], ['""']],
  "root_meta()": [[], ['"a"'], ['"b"'], ['""']],
  "json()": [[], ['"a"'], ['"b"']],
  "range()": [
    ["0", "5"],
    ["5", "0", "-2"],
    ["5", "0"],
    ["0", "1500001"],
    ["0", "-15000010", "-10"],
  ],
  "cosine_similarity()": [
    ["[1, 2]", "[2, 1.5]"],
    ["[1]", "[]"],
  ],
  "counter()": [[], ["1"], ["1", "10"], ["1", "10", "null"], ["10", "1"]],
  "random_int()": [[], ["1"], ["1", "1", "5"], ['"x"']],
  "snowflake_id()": [[], ["5"], ["5000"]],
  "nanoid()": [[], ["5"], ["5", '"ab"'], ["-1"]],
  "ulid()": [[], ['"hex"'], ['"crockford"', '"fast_random"'], ['"x"']],
  "uuid_v7()": [[], ["5"], ['"2020-01-02T03:04:05Z"'], ['"x"']],
  "file()": [['"data.json"'], ['"data.json"', "true"], ['"none"']],
  "file_rel()": [['"data.json"'], ['"none"']],
  "file_rel_json()": [['"data.json"'], ['"none"']],
  "fake()": [[], ['"email"'], ['"unix_time"'], ['"latitude"'], ['"LONGITUDE"'], ['"none"']],
  or: [['"x"'], ["null"], ["deleted()"]],
  catch: [['"x"'], ["this"]],
  bloblang: [['"root = this"'], ['"root ="']],
  map: [["this"], ["this.type()"], ["deleted()"]],
  bool: [[], ["true"], ["false"], ["5"]],
  number: [[], ["1"], ["2.5"]],
  timestamp: [[], ['"2020-01-02T03:04:05Z"'], ["5"], ['"x"']],
  contains: [['"a"'], ["1"], ["null"]],
  trim: [[], ['" A"']],
  trim_prefix: [['"a"']],
  trim_suffix: [['"c"']],
  has_prefix: [['"a"']],
  has_suffix: [['"c"']],
  index_of: [['"c"']],
  split: [['"b"'], ['""', "true"], ['"b"', "false"], ["2"], ["null", "true"]],
  join: [[], ['","']],
  replace_all: [['"a"', '"b"']],
  replace: [['"a"', '"b"']],
  replace_all_many: [['["a", "b"]'], ['["a"]'], ["[]"]],
  replace_many: [['["a", "b"]'], ['["a"]']],
  repeat: [["2"], ["0"], ["-1"], ["536870888"]],
  format: [[], ["1", '"a"'], ["null"]],
  strip_html: [[], ['["b"]'], ["[]"], ["[1]"]],
  slug: [[], ['"de"']],
  re_match: [['"a(b)?"'], ['"("']],
  re_find_all: [['"a(b)?"'], ['"("']],
  re_find_all_submatch: [['"a(b)?"'], ['"("']],
  re_find_object: [['"(?P<x>a)(b)?"'], ['"("']],
  re_find_all_object: [['"(?P<x>a)(b)?"'], ['"("']],
  re_replace_all: [
    ['"a(b)?"', '"$1"'],
    ['"("', '""'],
  ],
  re_replace: [
    ['"a"', '"x"'],
    ['"("', '""'],
  ],
  pow: [["2"], ["-0.5"]],
  bitwise_and: [["6"]],
  bitwise_or: [["6"]],
  bitwise_xor: [["6"]],
  parse_big_decimal: [["0"], ["2"]],
  map_each: [["this"], ["deleted()"], ["nothing()"], ["this.value"], ["this.type()"], ["1"]],
  filter: [["true"], ["this"], ["false"], ["this.value"]],
  fold: [
    ["0", "this.value"],
    ["null", "this.tally"],
    ['""', "this.tally.type()"],
    ["[]", "[this.tally]"],
    ["1", "true"],
  ],
  any: [["true"], ["this"], ["1"]],
  all: [["true"], ["this"], ["1"]],
  append: [[], ["1", '"x"'], ["[1]"]],
  concat: [[], ['[1, "x"]', "[]"]],
  zip: [[], ['["x", "y", "z"]'], ["[]"]],
  find: [["1"], ['"a"']],
  find_by: [["true"], ["this"], ["1"]],
  find_all: [["1"]],
  find_all_by: [["true"], ["this"], ["1"]],
  index: [["0"], ["-1"], ["9"], ["0.5"]],
  slice: [["1"], ["-2"], ["0", "1"], ["2", "1"]],
  sort: [[], ["this.left"], ["true"]],
  sort_by: [["this"], ["1"], ["this.type()"]],
  unique: [[], ["this"], ["this.type()"]],
  split_by: [["true"], ["this"]],
  get: [['"a"'], ['"a.b"'], ['"a.0"'], ['"d.*.e"'], ['"*"']],
  set: [
    ['"a"', "1"],
    ['"a.b"', '"x"'],
    ['"a.b.c"', "null"],
    ['"0"', '"x"'],
    ['"-"', "1"],
  ],
  exists: [['"a"'], ['"a.b"']],
  map_each_key: [["this"], ['"k"'], ["nothing()"], ["1"]],
  with: [[], ['"a"'], ['"a.b"', '"d"'], ['"d.e"'], ['"b.c"', '"b"'], ['"none"']],
  without: [[], ['"a"'], ['"a.b"', '"d"'], ['"d.e"'], ['"b.c.d"'], ['"none"']],
  collapse: [[], ["true"]],
  explode: [['"a"'], ['"a.b"'], ['"d"'], ['"a.0"']],
  merge: [['{"a":2,"z":{"y":1}}'], ['{"a":{"b":3},"b":{"c":5}}'], ["[1]"], ['"x"'], ["{}"]],
  assign: [['{"a":2,"z":{"y":1}}'], ['{"a":{"b":3},"b":{"c":5}}'], ["[1]"], ['"x"'], ["{}"]],
  encode: [['"base64"'], ['"z85"'], ['"hex"']],
  decode: [['"base64"'], ['"hex"']],
  hash: [['"sha256"'], ['"hmac_sha1"', '"key"'], ['"crc32"'], ['"crc32"', '""', '"none"'], ['"xxhash64"']],
  uuid_v5: [[], ['"dns"'], ['"x"']],
  compress: [['"gzip"'], ['"lz4"'], ['"gzip"', "5"], ['"zlib"', "77"]],
  decompress: [['"gzip"'], ['"flate"']],
  parse_json: [[], ["true"]],
  format_json: [[], ['""'], ['"  "', "true"], ['" "', "false", "false"]],
  parse_csv: [[], ["false"], ["true", '","', "true"], ["true", '",,"']],
  parse_xml: [[], ["true"]],
  format_xml: [[], ['""', "true"]],
  json_path: [['"$.a"'], ['"$..a"']],
  json_schema: [['"{}"'], ['"{\\"type\\":\\"string\\"}"']],
  diff: [["null"], ['{"a":2}'], ["[1]"], ['"x"'], ["5"], ["true"]],
  patch: [['[{"Type":"update","Path":["a"],"From":1,"To":2}]'], ["[1]"]],
  encrypt_aes: [
    ['"ctr"', iv, iv],
    ['"cbc"', iv, iv],
    ['"ctr"', iv, '"short"'],
  ],
  decrypt_aes: [
    ['"ctr"', iv, iv],
    ['"cbc"', iv, iv],
    ['"gcm"', iv, '"twelve bytes"'],
  ],
  compare_argon2: [[JSON.stringify(argonHash())], ['"x"']],
  compare_bcrypt: [[JSON.stringify(hashSync(secret, 4))], ['"x"']],
  ts_parse: [['"2006-01-02"'], [rfc3339]],
  ts_strptime: [['"%Y-%m-%d"'], ['"%Y-%m-%dT%H:%M:%S.%fZ"']],
  ts_format: [[], ['"2006-01-02"'], ['"2006"', '"Europe/Berlin"'], ['"2006"', '"None/Such"']],
  ts_strftime: [['"%Y"'], ['"%Y %Z"', '"UTC"'], ['"%Y"', '"None/Such"']],
  ts_round: [["1000000000"], ["0"]],
  ts_tz: [['"Europe/Berlin"'], ['"None/Such"']],
  ts_add_iso8601: [['"P1Y2M"'], ['"x"']],
  ts_sub_iso8601: [['"P1Y2M"'], ['"x"']],
  ts_sub: [['"2020-01-02T03:04:05Z"'], ["5"], ['"x"']],
  parse_timestamp: [['"2006-01-02"'], [rfc3339]],
  parse_timestamp_strptime: [['"%Y-%m-%d"'], ['"%Y-%m-%dT%H:%M:%S.%fZ"']],
  format_timestamp: [[], ['"2006"', '"UTC"']],
  format_timestamp_strftime: [['"%Y"'], ['"%Y"', '"UTC"']],
  ...Object.fromEntries(
    algorithms.flatMap((name) => [
      [`sign_jwt_${name}`, [[JSON.stringify(keysFor(name).privateKey)], ['"x"']]],
      [`parse_jwt_${name}`, [[JSON.stringify(keysFor(name).publicKey)], ['"x"']]],
    ]),
  ),
};

function argonHash(): string {
  const nonce = Buffer.from("saltsalt");
  const key = crypto.argon2Sync("argon2id", {
    message: secret,
    nonce,
    parallelism: 1,
    tagLength: 16,
    memory: 8,
    passes: 1,
  });
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64").replaceAll("=", "");
  return `$argon2id$v=19$m=8,t=1,p=1$${text(nonce)}$${text(key)}`;
}

/** The result types of the queries above, by the type of their `this`. None of them ever fails. */
export const queryTypes: Readonly<Record<string, (element: Type) => Type>> = {
  this: (element) => element,
  "this.value": (element) => fieldOf(element, "value").type,
  "this.tally": (element) => fieldOf(element, "tally").type,
  "this.left": (element) => fieldOf(element, "left").type,
  "[this.tally]": (element) => arrayOf(fieldOf(element, "tally").type),
  "this.type()": () => ({ kind: "String" }),
  "this.tally.type()": () => ({ kind: "String" }),
  "deleted()": () => deletedType,
  "nothing()": () => nothingType,
  null: () => nullType,
  true: () => ({ kind: "Bool", value: true }),
  false: () => ({ kind: "Bool", value: false }),
  "1": () => ({ kind: "Integer", value: 1n }),
  "10": () => ({ kind: "Integer", value: 10n }),
  '"k"': () => ({ kind: "String", value: "k" }),
  '"x"': () => ({ kind: "String", value: "x" }),
};

/** Builtins for which no sample fails, each with the reason. */
export const notSeenToFail: Readonly<Record<string, string>> = {
  "json()": "the message of the test is JSON",
};

/** Builtins that the test does not call, each with the reason. */
export const notCalled: Readonly<Record<string, string>> = {
  "var()": "gives what a mapping assigned, which inference follows",
  apply: "gives what a map of the mapping gives, which inference follows",
  from: "gives its target of another message, which inference follows",
  from_all: "gives its target of all messages, which inference follows",
  ...Object.fromEntries(
    ["cache_add()", "cache_delete()", "cache_get()", "cache_set()"].map((name) => [
      name,
      "they act on caches that a stream declares: test/run, test/runtime/resources",
    ]),
  ),
  parse_parquet: "its files are made by tests of its own: test/runtime/mapping",
  ...Object.fromEntries(
    ["city", "country", "asn", "enterprise", "anonymous_ip", "connection_type", "domain", "isp"].map(
      (name) => [`geoip_${name}`, "its databases are made by tests of its own: test/runtime/mapping"],
    ),
  ),
};
