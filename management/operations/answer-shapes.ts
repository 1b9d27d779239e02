// Answers that several operations give, and how they are described.

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

/** The answer of a write, with the tag of what is there now. */
export function done(message: string, etag: string): RestAnswer {
  return new RestAnswer({ Status: "OK", Message: message, Meta: null }, { etag });
}
