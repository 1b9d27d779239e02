import { test } from "uvu";
import * as assert from "uvu/assert";
import { createSink } from "../../compiler/diagnostics/sink.ts";
import { parseDocument } from "../../compiler/parse/document/parse-document.ts";
import { readComponent } from "../../compiler/parse/streams/components.ts";
import { createSourceFile } from "../../compiler/source/source.ts";
import type { ComponentNode, FieldNode } from "../../compiler/trees/api.ts";
import { coreCatalogue } from "../../schemas/catalogue.ts";

/** The component a YAML text holds; reading it must report nothing. */
function read(role: ComponentNode["role"], yaml: string): ComponentNode {
  const sink = createSink();
  const node = parseDocument(createSourceFile("part.yaml", yaml), sink.report);
  const component = node && readComponent(role, node, { components: coreCatalogue, report: sink.report });
  assert.equal(sink.diagnostics(), []);
  if (component === undefined) throw new Error(`no ${role} was read`);
  return component;
}

/** A field as plain data, without places. */
function outline(field: FieldNode): unknown {
  switch (field.kind) {
    case "Literal":
      return field.value;
    case "Duration":
      return { milliseconds: field.milliseconds };
    case "Environment":
      return { [field.type]: field.parts.map(outlinePart) };
    case "Template":
      return field.parts.map((part) => (part.kind === "QueryPart" ? part.query.kind : outlinePart(part)));
    case "List":
      return field.items.map(outline);
    case "Object":
      return Object.fromEntries(field.fields.map(({ name, value }) => [name, outline(value)]));
    case "Component":
      return { [field.component.name]: outline(field.component.config) };
    case "Mapping":
    case "Query":
      return field.kind;
  }
}

function outlinePart(part: { kind: string; text?: string; name?: string; fallback?: string; path?: string }) {
  if (part.kind === "Text") return part.text;
  return part.kind === "File" ? `file ${part.path}` : `${part.name} or ${part.fallback ?? "none"}`;
}

function outlineOf(role: ComponentNode["role"], yaml: string): unknown {
  return outline(read(role, yaml).config);
}

test("environment references are typed by their field", () => {
  const yaml = 'mqtt: { urls: "${U}", topics: ["${T:a,b}"], qos: "${Q:1}", connect_timeout: "${W:5s}" }';
  assert.equal(outlineOf("input", yaml), {
    urls: { list: ["U or none"] },
    topics: { list: ["T or a,b"] },
    qos: { integer: ["Q or 1"] },
    connect_timeout: { duration: ["W or 5s"] },
  });
});

test("strings and references can be mixed, and escapes are literal text", () => {
  const yaml =
    'mqtt: { urls: ["tcp://${H:h}:${P:1883}", b], topics: [a], password: "${file:/p}", user: "${{X}}" }';
  assert.equal(outlineOf("input", yaml), {
    urls: [{ string: ["tcp://", "H or h", ":", "P or 1883"] }, "b"],
    topics: ["a"],
    password: { string: ["file /p"] },
    user: "${X}",
  });
});

test("templates keep queries and references apart", () => {
  const yaml = 'http: { url: "${BASE:http://a}/x/${! this.id }", payload: "fixed ${{! this }}" }';
  assert.equal(outlineOf("processor", yaml), {
    url: ["BASE or http://a", "/x/", "FieldAccess"],
    payload: "fixed ${! this }",
  });
});

test("aliases resolve to their field", () => {
  assert.equal(outlineOf("output", "http_client: { url: a, body: b, timeout: 1m30s }"), {
    url: "a",
    payload: "b",
    timeout: { milliseconds: 90_000 },
  });
  assert.is(read("processor", "bloblang: root = this").name, "mapping");
});

test("one string of a list may hold several items", () => {
  const yaml = 'kafka: { addresses: ["a:1, b:2", c:3], topics: [t] }';
  assert.equal(outlineOf("input", yaml), { addresses: ["a:1", "b:2", "c:3"], topics: ["t"] });
});

test("both spellings of switch are equivalent", () => {
  const list = "[{ check: this.a, processors: [{ mapping: root = this }], fallthrough: true }, {}]";
  const expected = {
    cases: [{ check: "Query", processors: [{ mapping: "Mapping" }], fallthrough: true }, {}],
  };
  assert.equal(outlineOf("processor", `switch: ${list}`), expected);
  assert.equal(outlineOf("processor", `switch: { cases: ${list} }`), expected);
});

test("components can be nested", () => {
  const yaml =
    "broker: { inputs: [{ label: L, nats: { urls: [a], subject: s } }, { broker: { inputs: [] } }] }";
  assert.equal(outlineOf("input", yaml), {
    inputs: [{ nats: { urls: ["a"], subject: "s" } }, { broker: { inputs: [] } }],
  });
});

test.run();
