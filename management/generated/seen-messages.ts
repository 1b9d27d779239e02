// Generated from schemas/management/ by scripts/generate-options.ts. Do not edit.

import type { RecordSchema } from "../../runtime/rest/operation.ts";

/** What a gateway has seen of streams that are looked at. */
export interface SeenMessages {
  readonly streams: readonly {
    readonly api: string;
    readonly stream: string;
    /** Messages that passed without being shown. */
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
    description: "What a gateway has seen of streams that are looked at.",
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
              description: "Messages that passed without being shown."
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
