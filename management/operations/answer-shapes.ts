// Responses that several operations share, and their schemas.

import type { DefinitionDiagnostic } from "../../compiler/compile-definition.ts";
import { RestAnswer } from "../../runtime/rest/answers.ts";
import { type AnswerShape, writtenShape } from "../../runtime/rest/operation.ts";

/** Returns the shape of a write's response, with further fields. */
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

/** The response with a definition as it was sent. */
export const definitionAnswer: AnswerShape = {
  kind: "other",
  description:
    "The text as it was sent: `application/vnd.gw.streams.oas` if it is JSON, `application/yaml` otherwise.",
  schema: {},
  types: ["application/vnd.gw.streams.oas", "application/yaml"],
};

/** Returns the warnings about an accepted definition, as a part of the response. */
export function warningsOf(diagnostics: readonly DefinitionDiagnostic[]): object {
  return diagnostics.length > 0 ? { Errors: diagnostics } : {};
}

/** Returns the response of a write, with the entity tag of the new state and with warnings. */
export function done(
  message: string,
  { etag, warnings }: { readonly etag: string; readonly warnings: readonly DefinitionDiagnostic[] },
): RestAnswer {
  return new RestAnswer({ Status: "OK", Message: message, Meta: null, ...warningsOf(warnings) }, { etag });
}
