// Checks that the campaign fills every component field that messages compute, or lists a reason for leaving it out.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { parse } from "yaml";
import { coreCatalogue } from "../../schemas/catalogue.ts";
import type { ComponentRole } from "../../schemas/component.ts";
import type { Schema } from "../../schemas/schema.ts";
import { places } from "./injection/places.ts";
import { mappingsOfProtocols, untried } from "./injection/untried.ts";

const roles = ["input", "output", "processor", "cache", "rate_limit", "scanner", "buffer"] as const;
type Text = NonNullable<Schema["x-text"]>;

/** Returns the fields whose text is of a kind: `output nats headers.*`. */
function fieldsOf(kind: Text): readonly string[] {
  return roles.flatMap((role) =>
    coreCatalogue
      .all(role)
      .flatMap(({ name, schema }) => [...textsIn(schema, "", kind)].map((path) => `${role} ${name} ${path}`)),
  );
}

function* textsIn(schema: Schema, path: string, kind: Text): Iterable<string> {
  if (schema["x-component"] !== undefined || schema["x-reserved"]) return;
  if (schema["x-text"] === kind) yield path;
  for (const [name, inner] of Object.entries(schema.properties ?? {}))
    yield* textsIn(inner, path === "" ? name : `${path}.${name}`, kind);
  if (schema.items !== undefined) yield* textsIn(schema.items, `${path}[]`, kind);
  const { additionalProperties: others } = schema;
  if (typeof others === "object") yield* textsIn(others, `${path}.*`, kind);
}

/** Yields what the documents of the campaign compute: every text with a query in it. */
function* computed(
  value: unknown,
  role: ComponentRole | undefined,
  name: string,
  path: string,
): Iterable<string> {
  if (typeof value === "string" && role !== undefined && value.includes("${!"))
    yield `${role} ${name} ${path}`;
  if (Array.isArray(value))
    for (const each of value) yield* computed(each, role, name, path === "" ? "" : `${path}[]`);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    const within = path === "" ? key : `${path}.${key}`;
    const found = roles.find((each) => path === "" && name === `in ${each}` && coreCatalogue.find(each, key));
    if (found !== undefined) yield* computed(inner, found, key, "");
    else yield* computed(inner, role, name, within);
  }
}

function computedIn(stream: Readonly<Record<string, unknown>>): readonly string[] {
  const { input, output, pipeline } = stream as {
    input: object;
    output: object;
    pipeline?: { processors: object[] };
  };
  return [
    ...computed(input, undefined, "in input", ""),
    ...computed(output, undefined, "in output", ""),
    ...(pipeline?.processors ?? []).flatMap((each) => [...computed(each, undefined, "in processor", "")]),
  ];
}

const document = parse(readFileSync(join(import.meta.dirname, "injection/places.yaml"), "utf8"));
const streams: Readonly<Record<string, Readonly<Record<string, unknown>>>> =
  document["x-gw-streaming"].streams;

test("every interpolated field of every component is tested, or excluded with a reason", () => {
  const filled = new Set(
    Object.values(streams)
      .flatMap(computedIn)
      .map((field) =>
        field
          .replace(/headers\.[^.]+$/, "headers.*")
          .replace(/(fields|user_properties|labels)\.[^.]+$/, "$1.*"),
      ),
  );
  const fields = fieldsOf("interpolated");
  assert.equal(
    fields.filter((field) => !filled.has(field) && untried[field] === undefined),
    [],
  );
  assert.equal(
    Object.keys(untried).filter((field) => !fields.includes(field) || filled.has(field)),
    [],
  );
});

test("every arguments mapping belongs to a component whose protocol is tested", () => {
  const mappings = fieldsOf("mapping").filter((field) => /(?:args|keys)_mapping$/.test(field));
  const known = [
    ...Object.keys(mappingsOfProtocols),
    "processor redis args_mapping",
    "processor command args_mapping",
    "output sql_insert args_mapping",
    "output sql_raw args_mapping",
    "processor sql_select args_mapping",
  ];
  assert.equal(
    mappings.filter((field) => !known.includes(field)),
    [],
  );
});

test("every producer has its injection places", () => {
  assert.equal(Object.keys(places).sort(), Object.keys(streams).sort());
});

test.run();
