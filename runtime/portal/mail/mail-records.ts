// E-mails as lists of them say, as JSON Schema.

import type { RecordSchema } from "../../rest/operation.ts";

/** An e-mail as administrators see it: what it says is not told. */
export interface WaitingMail {
  readonly id: string;
  readonly kind: string;
  readonly to: string;
  readonly state: "waiting" | "given_up";
  readonly date_created: string;
  readonly attempts: number;
  readonly last_failure: string;
  /** When it is tried next, in UTC; empty where it is due, or given up. */
  readonly next_attempt: string;
}

/** The same as JSON Schema. */
export const mailSchema: RecordSchema<WaitingMail> = {
  name: "Mail",
  schema: {
    title: "E-mail",
    description: "An e-mail that no server has taken yet.",
    type: "object",
    additionalProperties: false,
    required: [],
    properties: {
      id: { type: "string", description: "Its id, which is in its `Message-ID`, too." },
      kind: { type: "string", description: "What it is for, such as `key_email`." },
      to: { type: "string" },
      state: { type: "string", enum: ["waiting", "given_up"] },
      date_created: { type: "string", description: "When it was made, in UTC." },
      attempts: { type: "integer", description: "Attempts that have failed." },
      last_failure: { type: "string", description: "Code of the last failure; empty without one." },
      next_attempt: {
        type: "string",
        description: "When it is tried next; empty where it is due or given up.",
      },
    },
  },
};
