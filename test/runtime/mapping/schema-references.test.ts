import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { MappingError } from "../../../runtime/errors.ts";
import { jsonSchema } from "../../../runtime/mapping/json-schema.ts";
import type { Value } from "../../../runtime/message/value.ts";

let connections = 0;
const elsewhere = createServer((_, response) => response.end('{"type":"object"}'))
  .on("connection", () => {
    connections += 1;
  })
  .listen(0, "127.0.0.1");
await once(elsewhere, "listening");
const address = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/schema.json`;

/** The references of a schema, for each keyword and each spelling. */
const targets = [
  ...[address, `${address}#`, `${address}#/$defs/a`, address.replace("http:", "https:"), address.slice(5)],
  ...[
    "file:///etc/passwd",
    "urn:example:a",
    "other.json",
    "/other.json",
    "?a",
    "#/$defs/none",
    "#none",
    "#/%zz",
  ],
  ...["#/$defs/__proto__", "#/constructor", "http://[", "\u0000", ""],
];
const places = [
  (schema: object) => schema,
  (schema: object) => ({ properties: { a: schema } }),
  (schema: object) => ({ allOf: [true, schema] }),
  (schema: object) => ({ items: schema }),
  (schema: object) => ({ not: { anyOf: [schema] } }),
];
const references = targets.flatMap((target) =>
  ["$ref", "$dynamicRef", "$recursiveRef"].map((keyword) => ({ [keyword]: target })),
);
const named = targets.flatMap((target) => [
  { $schema: target },
  { $id: target, $ref: "a" },
  { $id: target, properties: { a: { $ref: "#" } } },
]);
const endless = [
  { $ref: "#" },
  { allOf: [{ $ref: "#" }] },
  { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
  { not: { $ref: "#" } },
  { $recursiveRef: "#" },
];
const schemas = [...references, ...named, ...endless].flatMap((schema) =>
  places.map((place) => place(schema)),
);

const values: readonly Value[] = [null, 1, [], { a: { a: 1 } }, [[[1]]]];

test("a computed schema fails its message or validates it, for any reference, and nothing is fetched", () => {
  const outcomes = { judged: 0, failed: 0 };
  for (const schema of schemas) {
    for (const value of values) {
      try {
        jsonSchema(undefined, value, "field `this.a`", JSON.stringify(schema));
        outcomes.judged += 1;
      } catch (error) {
        if (!(error instanceof MappingError)) throw error;
        assert.is(error.status, 422);
        outcomes.failed += 1;
      }
    }
  }
  assert.ok(outcomes.failed > schemas.length, JSON.stringify(outcomes));
});

test("an unresolved or external reference always fails the message", () => {
  for (const reference of references.filter((each) => each.$ref !== "")) {
    const text = JSON.stringify(reference);
    assert.throws(
      () => jsonSchema(undefined, 1, "this", text),
      (error: unknown) => error instanceof MappingError,
      text,
    );
  }
});

test.after(async () => {
  // Connections that were started are established by now, or in the next turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  assert.is(connections, 0);
  elsewhere.close();
});
test.run();
