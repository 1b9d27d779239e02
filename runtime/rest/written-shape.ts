import type { AnswerShape } from "./operation.ts";

/** The envelope of writes where more than `Message` is told: the schema of `Meta`, and of what stands beside it. */
export function writtenShape(
  description: string,
  meta: object,
  beside: Readonly<Record<string, object>> = {},
): AnswerShape {
  return {
    kind: "other",
    description,
    schema: {
      type: "object",
      required: ["Status", "Message", "Meta"],
      properties: { Status: { const: "OK" }, Message: { type: "string" }, Meta: meta, ...beside },
    },
  };
}
