import { test } from "uvu";
import * as assert from "uvu/assert";
import { checkValues } from "../../compiler/check/document/check-component.ts";
import { checkUnsafe } from "../../compiler/check/document/rules/unsafe.ts";
import type { SchemedValue } from "../../compiler/check/document/values.ts";
import { createSink, type Report } from "../../compiler/diagnostics/sink.ts";
import { parseDocument } from "../../compiler/parse/document/parse-document.ts";
import { readField } from "../../compiler/parse/streams/fields.ts";
import { createSourceFile, locate } from "../../compiler/source/source.ts";
import type { Schema } from "../../schemas/schema.ts";

const duration: Schema = { type: "string", "x-unit": "duration" };

/** Fields that components will have. */
const schema: Schema = {
  type: "object",
  "x-unsafe": "reads files",
  properties: {
    tls: { type: "object", properties: { skip_cert_verify: { type: "boolean" } } },
    group: {
      type: "object",
      properties: {
        session_timeout: { ...duration, default: "10s" },
        heartbeat_interval: { ...duration, default: "3s", "x-less-than": "session_timeout" },
      },
    },
    parts: {
      type: "object",
      properties: { min: { type: "integer", "x-at-most": "max" }, max: { type: "integer" } },
    },
    address: { type: "string", "x-unsafe": "opens a listener" },
  },
};

/** Returns the findings of a rule for a value, as `code line:column message`. */
function findings(yaml: string, rule: (whole: SchemedValue, report: Report) => void): readonly string[] {
  const sink = createSink();
  const node = parseDocument(createSourceFile("part.yaml", yaml), sink.report);
  const readComponent = () => undefined;
  const value = node && readField(node, { name: "part", schema, report: sink.report, readComponent });
  if (node === undefined || value === undefined) throw new Error("nothing was read");
  rule({ name: "part", nameSpan: node.span, value, schema }, sink.report);
  return sink.diagnostics().map(({ code, message, span }) => {
    const { start } = locate(span);
    return `${code} ${start.line}:${start.column} ${message}`;
  });
}

test("disabled certificate verification is reported", () => {
  assert.equal(findings("tls: { skip_cert_verify: true }", checkValues), [
    "GW4083 1:26 The certificate of this server is not verified, so anyone can impersonate it.",
  ]);
  assert.equal(findings("tls: { skip_cert_verify: false }", checkValues), []);
  assert.equal(findings('tls: { skip_cert_verify: "${SKIP:true}" }', checkValues), []);
});

test("a value that conflicts with another is reported at the one that is set", () => {
  assert.equal(findings("group: { heartbeat_interval: 10s }", checkValues), [
    "GW4085 1:30 `heartbeat_interval` is 10s and must be less than `session_timeout` (10s).",
  ]);
  assert.equal(findings("group: { session_timeout: 2s }", checkValues), [
    "GW4085 1:27 `heartbeat_interval` is 3s and must be less than `session_timeout` (2s).",
  ]);
  assert.equal(findings("group: { session_timeout: 4s }", checkValues), []);
  assert.equal(findings('group: { session_timeout: "${A:2s}" }', checkValues), []);
  assert.equal(findings("group: {}", checkValues), []);
});

test("numbers are bounds of each other too, and unset values are no bounds", () => {
  assert.equal(findings("parts: { min: 5, max: 4 }", checkValues), [
    "GW4084 1:15 `min` is 5, which exceeds `max` (4).",
  ]);
  assert.equal(findings("parts: { min: 5, max: 5 }", checkValues), []);
  assert.equal(findings("parts: { min: 5 }", checkValues), []);
});

test("a component that reaches the machine is allowed by its name or the name of its field", () => {
  const check =
    (...allowed: readonly string[]) =>
    (whole: SchemedValue, report: Report) =>
      checkUnsafe(whole, new Set(allowed), report);
  const part = "GW4087 1:1 `part` reads files on the machine of the gateway, which is not allowed.";
  const address =
    "GW4087 1:1 `address` opens a listener on the machine of the gateway, which is not allowed.";
  assert.equal(findings("address: localhost:80", check()), [address, part].toSorted().toReversed());
  assert.equal(findings("address: localhost:80", check("part")), [address]);
  assert.equal(findings("address: localhost:80", check("part", "address")), []);
  assert.equal(findings("parts: { min: 1 }", check("address")), [part]);
});

test.run();
