// `/audit`: who changed what.

import { pageParameters, readPage } from "../../runtime/rest/lists.ts";
import type { RecordSchema } from "../../runtime/rest/record-schema.ts";
import { listChanges } from "../audit/audit.ts";
import { type ManagedOperation, managed } from "../operation.ts";

const digest = { type: ["string", "null"], description: "Hex SHA-256 of the definition." };

const changeSchema: RecordSchema = {
  name: "Change",
  schema: {
    title: "Change",
    description: "Something that was changed.",
    type: "object",
    required: ["number", "at", "actor", "action", "object"],
    properties: {
      number: { type: "integer", description: "Counts the changes of the organisation." },
      at: { type: "string", description: "When, in UTC." },
      actor: { type: "string", description: "The name of the key." },
      actor_id: {
        type: ["string", "null"],
        description: "The user whose key it was, also under another name; null for keys of the environment.",
      },
      action: { type: "string", description: "The operation." },
      object: { type: "string", description: "The id of what was changed." },
      detail: { type: ["string", "null"], description: "A stream of it, or a version." },
      before_digest: digest,
      after_digest: digest,
    },
  },
};

export const auditOperations: readonly ManagedOperation[] = [
  managed({
    method: "GET",
    path: "/audit",
    operationId: "listChanges",
    tag: "Audit",
    summary: "Lists what was changed in the organisation, the newest first.",
    permission: "read",
    parameters: [
      ...pageParameters,
      { name: "object", description: "Only changes of the object of this id.", schema: { type: "string" } },
    ],
    answer: { kind: "list", record: changeSchema },
    run(request, { store }) {
      const object = request.query.get("object");
      const only = typeof object === "string" ? object : undefined;
      return listChanges(store, request.organisation, readPage(request), only);
    },
  }),
];
