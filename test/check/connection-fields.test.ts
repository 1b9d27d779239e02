import { test } from "uvu";
import * as assert from "uvu/assert";
import { checkFields } from "../../compiler/check/document/rules/connection-fields.ts";
import { createSink } from "../../compiler/diagnostics/sink.ts";
import { parseDocument } from "../../compiler/parse/document/parse-document.ts";
import { readField } from "../../compiler/parse/streams/fields.ts";
import { createSourceFile, locate } from "../../compiler/source/source.ts";
import type { Schema } from "../../schemas/schema.ts";

const text: Schema = { type: "string", "x-text": "interpolated" };
const schema: Schema = {
  type: "object",
  properties: {
    url: text,
    headers: { type: "object", additionalProperties: text, "x-before-messages": true },
    open: {
      type: "object",
      properties: { message: { ...text, "x-before-messages": true } },
    },
  },
};

/** Returns the findings as `code line:column message`. */
function check(yaml: string): readonly string[] {
  const sink = createSink();
  const node = parseDocument(createSourceFile("part.yaml", yaml), sink.report);
  const readComponent = () => undefined;
  const field = node && readField(node, { name: "websocket", schema, report: sink.report, readComponent });
  if (field === undefined) throw new Error("nothing was read");
  checkFields(schema, field, sink.report);
  return sink.diagnostics().map(({ code, message, span }) => {
    const { start } = locate(span);
    return `${code} ${start.line}:${start.column} ${message}`;
  });
}

test("a field evaluated on connecting cannot refer to messages", () => {
  const found = check(
    [
      'url: "ws://localhost/${! this.id }"',
      "headers:",
      '  A: "${! this.id }"',
      '  B: "${! id }"',
      "  C: '${! meta(\"id\") }'",
      '  D: "${! @id }"',
      "  E: '${! json(\"id\") }'",
      'open: { message: "${! content() }" }',
    ].join("\n"),
  );
  assert.equal(
    found,
    ["3:7", "4:7", "5:7", "6:7", "7:7"]
      .map((place) => `GW4065 ${place} \`headers\` is evaluated on connecting, before any message exists.`)
      .concat("GW4065 8:19 `message` is evaluated on connecting, before any message exists."),
  );
});

test("expressions that need no message are accepted there", () => {
  assert.equal(
    check("headers: { A: fixed, B: '${! uuid_v4() }', C: '${TOKEN:none}', D: '${! env(\"A\") }' }"),
    [],
  );
});

test.run();
