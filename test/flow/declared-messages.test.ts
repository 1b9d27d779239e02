// `schema` beside a component counts wherever the component stands: at every place of every descriptor that holds others.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { checkDocuments } from "../../compiler/compile.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { printType } from "../../compiler/value-types/print.ts";
import { coreCatalogue } from "../../schemas/catalogue.ts";
import type { Component, ComponentRole } from "../../schemas/component.ts";
import type { Schema } from "../../schemas/schema.ts";
import { fieldValue } from "../emit/every-field.ts";

const nats = { nats: { urls: ["nats://127.0.0.1:4222"], subject: "orders" } };
const declared = (type: string) => ({ type: "object", required: ["id"], properties: { id: { type } } });
const closed = (type: string) => ({ ...declared(type), additionalProperties: false });

/** A place that holds a component: the keys on the way, where `[]` is an item of a list and `{}` an entry of any name. */
interface Place {
  readonly path: readonly string[];
  readonly role: ComponentRole;
}

function placesIn(schema: Schema, path: readonly string[] = []): readonly Place[] {
  const role = schema["x-component"];
  if (role !== undefined) return [{ path, role }];
  const { properties = {}, items, additionalProperties } = schema;
  return [
    ...Object.entries(properties).flatMap(([name, field]) =>
      // Other spellings hold what their own name holds.
      field["x-alias"] === undefined ? placesIn(field, [...path, name]) : [],
    ),
    ...(items === undefined ? [] : placesIn(items, [...path, "[]"])),
    ...(typeof additionalProperties === "object" ? placesIn(additionalProperties, [...path, "{}"]) : []),
  ];
}

/** The value of a component with what it needs, and `children` at a place. */
function holding(schema: Schema, path: readonly string[], children: readonly object[]): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return children[0];
  if (step === "[]") return children.map((child) => holding(schema.items ?? {}, rest, [child]));
  if (step === "{}") return { one: holding(Object(schema.additionalProperties), rest, children) };
  const { properties = {}, required = [], "x-one-of": choices = [] } = schema;
  const written = new Set([...required, step]);
  // The last one: `check` would read a field that the messages do not have.
  const choice = choices.some((name) => written.has(name)) ? undefined : choices.at(-1);
  return Object.fromEntries(
    [...written, ...(choice === undefined ? [] : [choice])].map((name) => {
      const field = properties[name] ?? {};
      return [name, name === step ? holding(field, rest, children) : needed(field, name)];
    }),
  );
}

function needed(field: Schema, name: string): unknown {
  if (field["x-text"] === "query") return 'this.kind != "other"';
  return field.required === undefined ? fieldValue(field, "literal", name) : holding(field, [""], []);
}

interface Found {
  readonly diagnostics: readonly string[];
  /** The content of messages behind the input. */
  readonly taken: string;
}

async function check(stream: object): Promise<Found> {
  const fileSystem = createMemoryFileSystem({ "stream.json": JSON.stringify(stream) });
  const { diagnostics, checked } = await checkDocuments(["stream.json"], { fileSystem });
  const [only] = checked?.set.apis[0]?.streams ?? [];
  const steps = only === undefined ? [] : (checked?.steps(only) ?? []);
  const taken = steps.find(({ component }) => component === only?.input)?.message.content;
  return {
    diagnostics: diagnostics.map(({ code, message }) => `${code} ${message}`),
    taken: taken === undefined ? "" : printType(taken),
  };
}

const roles = ["input", "processor", "output"] as const;
const wrappers: readonly (readonly [Component, Place])[] = roles.flatMap((role) =>
  coreCatalogue.names(role).flatMap((name) => {
    const component = coreCatalogue.find(role, name);
    if (component === undefined || component.name !== name) return [];
    return placesIn(component.schema).map((place) => [component, place] as const);
  }),
);
assert.ok(wrappers.length > 0);

/** A stream in which a component stands where its role belongs, behind a step that may fail. */
function streamWith({ role, name }: Component, value: unknown, before: object): object {
  const component = { [name]: value };
  return {
    input: role === "input" ? component : nats,
    pipeline: {
      processors: role === "input" ? [] : [before, ...(role === "processor" ? [component] : [])],
    },
    output: role === "output" ? component : nats,
  };
}

const mayFail = { mapping: "root.id = this.id.number()" };

for (const [component, { path, role }] of wrappers) {
  const where = `${component.role} ${component.name} at ${path.join(".")}`;
  const value = (...children: readonly object[]) => holding(component.schema, path, children);

  if (role === "input") {
    test(`an input declares the type of its messages inside the ${where}`, async () => {
      const one = await check(streamWith(component, value({ ...nats, schema: closed("string") }), mayFail));
      assert.is(one.taken, "{ id: string }");
      if (path.at(-1) !== "[]") return;
      const several = value({ ...nats, schema: closed("string") }, { ...nats, schema: closed("boolean") });
      const both = await check(streamWith(component, several, mayFail));
      assert.is(both.taken, "{ id: string } | { id: bool }");
    });
  }
  if (role === "output") {
    test(`an output declares the type of its messages inside the ${where}`, async () => {
      const stream = (type: string) =>
        streamWith(component, value({ ...nats, schema: declared(type) }), mayFail);
      const wrong = await check(stream("string"));
      assert.is(wrong.diagnostics.filter((each) => /^GW3200 .*`string`/.test(each)).length, 1);
      const right = await check(stream("number"));
      assert.equal(
        right.diagnostics.filter((each) => /^GW32/.test(each)),
        wrong.diagnostics.filter((each) => /^GW32/.test(each) && !each.startsWith("GW3200")),
      );
    });
  }
  if (role === "processor") {
    test(`a processor declares the type of its messages inside the ${where}`, async () => {
      const step = { mapping: "root.id = true", schema: declared("string") };
      const { diagnostics } = await check(streamWith(component, value(step), mayFail));
      assert.is(diagnostics.filter((each) => /^GW3200 .*`string`/.test(each)).length, 1, String(diagnostics));
    });
  }
}

for (const role of ["input", "output"] as const) {
  test(`a processor declares the type of its messages next to an ${role}`, async () => {
    const processors = [{ mapping: "root.id = true", schema: declared("string") }];
    const child = { ...nats, processors };
    const stream = { input: nats, output: nats, [role]: { broker: { [`${role}s`]: [child] } } };
    for (const each of [stream, { input: nats, output: nats, [role]: child }]) {
      const { diagnostics } = await check(each);
      assert.is(diagnostics.filter((text) => /^GW3200 .*`string`/.test(text)).length, 1);
    }
  });
}

test("a dead-letter output declares the type of its messages", async () => {
  const output = { ...nats, schema: declared("string") };
  const stream = { input: { ...nats, schema: closed("boolean") }, pipeline: { processors: [mayFail] } };
  const { diagnostics } = await check({
    ...stream,
    output: nats,
    error_handling: { strategy: "dead_letter", output },
  });
  assert.is(diagnostics.filter((text) => /^GW3200 .*`string`/.test(text)).length, 1, String(diagnostics));
});

test.run();
