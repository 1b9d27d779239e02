// A field that takes `${! query }` and `${NAME}` in one text: to a template, an environment reference,
// or plain text when it holds neither.

import { limitOf } from "../../../schemas/limits.ts";
import type { Schema } from "../../../schemas/schema.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { createEmbeddedText } from "../../source/source.ts";
import type { EnvironmentPart, FieldNode, TemplateField } from "../../trees/api.ts";
import type { ScalarNode } from "../../trees/document.ts";
import type { Template, TextPart } from "../../trees/mapping.ts";
import { parseTemplate } from "../mapping/parser.ts";
import { readEncodedText } from "./encoded-texts.ts";
import { parseEnvironment } from "./environment.ts";

/** The value of an interpolated text; `undefined` when a query in it does not parse. */
export function readTemplateField(
  node: ScalarNode,
  { report, schema }: { readonly report: Report; readonly schema: Schema },
): FieldNode | undefined {
  const { span } = node;
  const template = parseTemplate(node.text, report);
  if (template === undefined) return undefined;
  const parts = template.parts.flatMap((part): TemplateField["parts"] =>
    part.kind === "QueryPart" ? [part] : splitText(template, part, report),
  );
  if (parts.some((part) => part.kind === "QueryPart"))
    return {
      kind: "Template",
      template,
      parts,
      limit: limitOf(schema),
      encoded: readEncodedText(parts, schema["x-encoded"]),
      span,
    };
  const fixed = parts.filter((part) => part.kind !== "QueryPart");
  if (fixed.some((part) => part.kind !== "Text")) {
    return {
      kind: "Environment",
      type: "string",
      parts: fixed,
      limit: limitOf(schema),
      encoded: readEncodedText(fixed, schema["x-encoded"]),
      span,
    };
  }
  const value = fixed.map((part) => (part.kind === "Text" ? part.text : "")).join("");
  return { kind: "Literal", value, span };
}

/** The environment references of a text part; escapes already decoded lose their exact columns. */
function splitText(template: Template, part: TextPart, report: Report): readonly EnvironmentPart[] {
  const { start, end } = part.span;
  if (part.text === template.source.text.slice(start, end)) {
    return parseEnvironment(template.source, report, start, end);
  }
  const offsets = Array.from({ length: part.text.length + 1 }, () => start);
  return parseEnvironment(createEmbeddedText(template.source, part.text, offsets), report);
}
