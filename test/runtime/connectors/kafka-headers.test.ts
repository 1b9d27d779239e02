import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  createHeaderEncoder,
  type HeaderSettings,
} from "../../../runtime/connectors/kafka/record-headers.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { Message } from "../../../runtime/message/message.ts";
import type { Value } from "../../../runtime/message/value.ts";

const test = suite("kafka headers");

const content = Buffer.from("{}");

function encode(
  metadata: readonly (readonly [string, Value])[],
  settings: Partial<HeaderSettings> = {},
): Buffer {
  const encodeHeaders = createHeaderEncoder({ passes: () => true, fixed: {}, ...settings });
  return encodeHeaders(Message.fromBytes(content, new Map(metadata)));
}

/** Decodes headers that `createHeaderEncoder` encoded. */
function decodeHeaders(encoded: Buffer): Record<string, Buffer> {
  let at = 0;
  const length = () => {
    let zigzag = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = encoded[at] ?? 0;
      at += 1;
      zigzag |= (byte & 0x7f) << shift;
      if (byte < 0x80) return zigzag >>> 1;
    }
  };
  const bytes = () => {
    const size = length();
    at += size;
    return encoded.subarray(at - size, at);
  };
  const headers: [name: string, value: Buffer][] = [];
  for (let left = length(); left > 0; left -= 1) headers.push([bytes().toString("utf8"), bytes()]);
  // Created from entries: a header named `__proto__` is a header like any other.
  return Object.fromEntries(headers);
}

/** Returns the headers of a record with this metadata, by name. */
function headersOf(...given: Parameters<typeof encode>): [string, Buffer][] {
  return Object.entries(decodeHeaders(encode(...given)));
}

test("values of any kind and length keep their bytes", () => {
  const values: [Value, Uint8Array][] = [
    ["", Buffer.alloc(0)],
    ["a".repeat(63), Buffer.alloc(63, "a")],
    ["a".repeat(64), Buffer.alloc(64, "a")],
    ["a".repeat(20_000), Buffer.alloc(20_000, "a")],
    ["caf\u00e9 \u{1f600}", Buffer.from("caf\u00e9 \u{1f600}")],
    ["\u0000\u007f", Buffer.from([0, 127])],
    [Buffer.from([0, 128, 255]), Buffer.from([0, 128, 255])],
    [12, Buffer.from("12")],
    [["a", null], Buffer.from('["a",null]')],
  ];
  const metadata = values.map(([value], index) => [`n${index}`, value] as const);
  assert.equal(
    headersOf(metadata).map(([name, value]) => [name, [...value]]),
    values.map(([, bytes], index) => [`n${index}`, [...bytes]]),
  );
});

test("names that every object has are headers like others", () => {
  const names = ["__proto__", "constructor", "toString", "caf\u00e9", "7", "n".repeat(300)];
  const encodeHeaders = createHeaderEncoder({ passes: () => true, fixed: {} });
  const message = Message.fromBytes(content, new Map(names.map((name) => [name, name])));
  // The second time, names are known.
  for (const encoded of [encodeHeaders(message), encodeHeaders(message)]) {
    const headers = Object.entries(decodeHeaders(encoded)).map(([name, value]) => [name, String(value)]);
    assert.equal(headers.toSorted(), names.map((name) => [name, name]).toSorted());
  }
});

test("fixed headers override metadata, and need none", () => {
  const fixed = { a: "fixed", "\u00e9": "\u00e9" };
  const texts = (headers: [string, Buffer][]) => headers.map(([name, value]) => [name, String(value)]);
  assert.equal(
    texts(
      headersOf(
        [
          ["a", "sent"],
          ["b", "sent"],
        ],
        { fixed },
      ),
    ),
    [
      ["b", "sent"],
      ["a", "fixed"],
      ["\u00e9", "\u00e9"],
    ],
  );
  assert.equal(texts(headersOf([["b", "sent"]], { fixed, passes: undefined })), Object.entries(fixed));
  assert.equal(headersOf([["b", "sent"]], { passes: undefined }), []);
});

test("parameters, credentials and names of transports are left out, also once a header had the name", () => {
  const encodeHeaders = createHeaderEncoder({ passes: (name) => !name.startsWith("no"), fixed: {} });
  const metadata = new Map<string, Value>(
    ["page", "Authorization", "kafka_key", "none", "kept"].map((name) => [name, "x"]),
  );
  const namesOf = (parameters?: ReadonlySet<string>) =>
    Object.keys(decodeHeaders(encodeHeaders(Message.fromBytes(content, metadata, undefined, parameters))));
  assert.equal(namesOf(), ["page", "kept"]);
  assert.equal(namesOf(new Set(["page"])), ["kept"]);
  assert.equal(namesOf(), ["page", "kept"]);
});

test("a text with a lone surrogate is refused", () => {
  for (const metadata of [["n", "\ud800"] as const, ["\udc80", "v"] as const])
    assert.throws(
      () => encode([metadata]),
      (error: unknown) => error instanceof GatewayError,
    );
});

test.run();
