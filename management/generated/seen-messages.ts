// Generated from schemas/management/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../runtime/rest/operation.ts";

/** Messages that a gateway has captured from inspected streams. */
export interface SeenMessages {
  readonly streams: readonly {
    readonly api: string;
    readonly stream: string;
    /** Number of messages that passed without being captured. */
    readonly missed: number;
    readonly messages: readonly {
      readonly at: string;
      readonly content: string;
      readonly isCut: boolean;
      readonly size: number;
      readonly metadata: Readonly<Record<string, string>>;
      readonly isDeadLetter: boolean;
    }[];
  }[];
}

/** `SeenMessages` as JSON Schema 2020-12. */
export const seenMessagesSchema: RecordSchema<SeenMessages> = {
  name: "SeenMessages",
  schema: {
    title: "Messages",
    description: "Messages that a gateway has captured from inspected streams.",
    type: "object",
    additionalProperties: false,
    required: [
      "streams"
    ],
    properties: {
      streams: {
        type: "array",
        maxItems: 64,
        items: {
          type: "object",
          additionalProperties: false,
          required: [
            "api",
            "stream",
            "messages",
            "missed"
          ],
          properties: {
            api: {
              type: "string"
            },
            stream: {
              type: "string"
            },
            missed: {
              type: "integer",
              minimum: 0,
              description: "Number of messages that passed without being captured."
            },
            messages: {
              type: "array",
              maxItems: 20,
              items: {
                type: "object",
                additionalProperties: false,
                required: [
                  "at",
                  "content",
                  "isCut",
                  "size",
                  "metadata",
                  "isDeadLetter"
                ],
                properties: {
                  at: {
                    type: "string",
                    maxLength: 40
                  },
                  content: {
                    type: "string",
                    maxLength: 4096
                  },
                  isCut: {
                    type: "boolean"
                  },
                  size: {
                    type: "integer",
                    minimum: 0
                  },
                  metadata: {
                    type: "object",
                    maxProperties: 50,
                    additionalProperties: {
                      type: "string",
                      maxLength: 256
                    }
                  },
                  isDeadLetter: {
                    type: "boolean"
                  }
                }
              }
            }
          }
        }
      }
    }
  },
};
