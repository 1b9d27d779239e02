// Answers that several operations give, and how they are described.

import type { DefinitionDiagnostic } from "../../compiler/compile-definition.ts";
import { RestAnswer } from "../../runtime/rest/answers.ts";
import { type AnswerShape, writtenShape } from "../../runtime/rest/operation.ts";

/** The envelope of writes, with what else is in it. */
export function writtenWith(
  description: string,
  further: Readonly<Record<string, object>> = {},
): AnswerShape {
  return writtenShape(
    description,
    { type: ["string", "object", "null"] },
    {
      ID: { type: "string" },
      Errors: { type: "array", items: { type: "object" }, description: "Warnings." },
      ...further,
    },
  );
}

/** A definition as it was sent. */
export const definitionAnswer: AnswerShape = {
  kind: "other",
  description:
    "The text as it was sent: `application/vnd.gw.streams.oas` where it is JSON, else `application/yaml`.",
  schema: {},
  types: ["application/vnd.gw.streams.oas", "application/yaml"],
};

/** What is said of a definition that is taken all the same, as a part of the answer. */
export function warningsOf(diagnostics: readonly DefinitionDiagnostic[]): object {
  return diagnostics.length > 0 ? { Errors: diagnostics } : {};
}

/** The answer of a write, with the tag of what is there now, and warnings. */
export function done(
  message: string,
  { etag, warnings }: { readonly etag: string; readonly warnings: readonly DefinitionDiagnostic[] },
): RestAnswer {
  return new RestAnswer({ Status: "OK", Message: message, Meta: null, ...warningsOf(warnings) }, { etag });
}
