// The operation at `/audit`: who changed what.

import { pageParameters, readPage } from "../../runtime/rest/lists.ts";
import { listChanges } from "../audit/audit.ts";
import { changeSchema } from "../generated/change.ts";
import { type ManagedOperation, managed } from "../operation.ts";

export const auditOperations: readonly ManagedOperation[] = [
  managed({
    method: "GET",
    path: "/audit",
    operationId: "listChanges",
    tag: "Audit",
    summary: "Lists the changes in the organisation, newest first.",
    permission: "read",
    isPerApi: true,
    parameters: [
      ...pageParameters,
      {
        name: "object",
        description: "Returns only changes of the object with this id.",
        schema: { type: "string" },
      },
    ],
    answer: { kind: "list", record: changeSchema },
    run(request, { store }) {
      const object = request.query.get("object");
      const only = typeof object === "string" ? object : undefined;
      return listChanges(store, request.caller, readPage(request), only);
    },
  }),
];
