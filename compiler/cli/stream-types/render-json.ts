// Streams with their types in, JSON for programs out: a JSON Schema for the content and the metadata of each step.

import { writeJsonSchema } from "../../value-types/json-schema/write/write-schema.ts";
import type { MetadataType } from "../../value-types/message-type.ts";
import { type ObjectType, unknown } from "../../value-types/type.ts";
import type { StreamDescription } from "./describe-streams.ts";

/** The streams as one JSON array, with a line break at its end. */
export function renderJson(streams: readonly StreamDescription[]): string {
  const described = streams.map(({ steps, ...stream }) => ({
    ...stream,
    steps: steps.map(({ message, failures, ...step }) => ({
      ...step,
      schema: writeJsonSchema(message.content),
      metadata: writeJsonSchema(objectOfMetadata(message.metadata)),
      failures,
    })),
  }));
  return `${JSON.stringify(described, undefined, 2)}\n`;
}

function objectOfMetadata({ known, others }: MetadataType): ObjectType {
  return { kind: "Object", fields: known, rest: others ? unknown : undefined };
}
