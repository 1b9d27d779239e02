// The operations at `/requests`: developers request access, administrators approve.

import { GatewayError } from "../../errors.ts";
import { refusal, written } from "../../rest/answers.ts";
import { pageParameters, readPage } from "../../rest/lists.ts";
import { type RecordSchema, writtenShape } from "../../rest/operation.ts";
import { developerSchema } from "../generated/developer.ts";
import { type KeyRequest, keyRequestSchema } from "../generated/key-request.ts";
import { operation, type PortalOperation } from "../operation.ts";
import { approveRequest, isApprovedAtOnce } from "../requests/approve.ts";
import {
  createRequest,
  deleteRequest,
  getRequest,
  listRequests,
  replaceRequest,
  requestOrders,
} from "../requests/requests.ts";
import { credentialAnswer } from "./credential-answer.ts";

const tag = "Key requests";

/** The developer that the body of an approval may contain. */
const approvingSchema: RecordSchema<{ readonly id?: string }> = {
  name: "ApprovedDeveloper",
  schema: {
    title: "Developer",
    description:
      "The developer of the request, as it is read; nothing of it is stored, and the id has to be that of the request.",
    type: "object",
    additionalProperties: false,
    properties: fieldsOf(developerSchema),
  },
};

/** Returns the fields of a record without `readOnly`, because clients send the whole record that they have read. */
function fieldsOf({ schema: { properties } }: RecordSchema): Readonly<Record<string, unknown>> {
  const fields = Object.entries(typeof properties === "object" ? { ...properties } : {});
  return Object.fromEntries(
    fields.map(([name, field]) => [name, typeof field === "object" ? { ...field, readOnly: false } : field]),
  );
}

const namingSchema: RecordSchema<{ readonly id: string }> = {
  name: "NamedRequest",
  schema: {
    title: "Key request",
    description: "The id of the request to approve.",
    type: "object",
    additionalProperties: false,
    required: ["id"],
    properties: { id: { type: "string", minLength: 1 } },
  },
};

export const requestOperations: readonly PortalOperation[] = [
  operation({
    method: "GET",
    path: "/requests",
    operationId: "listRequests",
    tag,
    summary: "Lists the requests of the organisation, by default the oldest first.",
    parameters: [
      ...pageParameters,
      {
        name: "approved",
        description: "Only those that were, or were not, approved.",
        schema: { type: "boolean" },
      },
      {
        name: "q",
        description: "A part of the name, of a policy, of the developer's or team's name, or of the id.",
        schema: { type: "string" },
      },
      {
        name: "sort",
        description: "Sort order of the list. A leading `-` sorts in descending order.",
        schema: { type: "string", enum: requestOrders, default: "date_created" },
      },
    ],
    answer: { kind: "list", record: keyRequestSchema },
    run: (request, { store }) => {
      const approved = request.query.get("approved");
      const only = typeof approved === "boolean" ? approved : undefined;
      return listRequests(store, request.organisation, readPage(request), {
        approved: only,
        text: request.query.get("q")?.toString(),
        order: request.query.get("sort")?.toString(),
      });
    },
  }),
  operation({
    method: "POST",
    path: "/requests",
    operationId: "createRequest",
    tag,
    summary:
      "Creates a request. If the portal's configuration requires no approval, it is approved at once. 409 reports an open request for the same: `Errors` has its id as `request`.",
    body: { record: keyRequestSchema },
    answer: writtenShape(
      "`Message` is its id. `Meta` is the credential if the request was approved at once.",
      {
        type: ["object", "null"],
      },
    ),
    refusals: [409],
    async run({ organisation, body }, services) {
      const id = await createRequest(services, organisation, body);
      const atOnce = await services.store.read((connection) =>
        isApprovedAtOnce(connection, organisation, body),
      );
      // No other response could contain the credential.
      if (!atOnce) return written(id);
      try {
        return { ...written(id), Meta: await approveRequest(services, organisation, id) };
      } catch (error) {
        // The request would never be approved, and an open request would block the next one.
        if (error instanceof GatewayError && !error.retryable) {
          await deleteRequest(services.store, organisation, id);
        }
        throw error;
      }
    },
  }),
  operation({
    method: "PUT",
    path: "/requests",
    operationId: "approveNamedRequest",
    tag,
    summary: "Approves the request that the body names.",
    body: { record: namingSchema },
    answer: credentialAnswer,
    refusals: [404],
    async run({ organisation, body }, services) {
      return approveRequest(services, organisation, body.id);
    },
  }),
  operation({
    method: "GET",
    path: "/requests/{id}",
    operationId: "readRequest",
    tag,
    summary: "Reads a request.",
    answer: { kind: "record", record: keyRequestSchema },
    refusals: [404],
    run: ({ organisation, param }, { store }) => getRequest(store, organisation, param("id")),
  }),
  operation<KeyRequest>({
    method: "PUT",
    alias: "UPDATE",
    path: "/requests/{id}",
    operationId: "replaceRequest",
    tag,
    summary: "Replaces a request completely, except the fields that the server sets.",
    body: { record: keyRequestSchema },
    answer: { kind: "written", message: "`Message` is its id." },
    refusals: [404, 409],
    async run({ organisation, param, body }, services) {
      await replaceRequest(services, organisation, param("id"), body);
      return written(param("id"));
    },
  }),
  operation({
    method: "DELETE",
    path: "/requests/{id}",
    operationId: "deleteRequest",
    tag,
    summary: "Deletes or declines a request. A credential that was issued for it stays.",
    answer: { kind: "written", message: "`Data deleted`." },
    refusals: [404],
    async run({ organisation, param }, { store }) {
      await deleteRequest(store, organisation, param("id"));
      return written("Data deleted");
    },
  }),
  operation({
    method: "PUT",
    path: "/requests/approve/{id}",
    operationId: "approveRequest",
    tag,
    summary:
      "Approves a request: creates a key, a user or an OAuth client, or extends a key of the developer.",
    body: { record: approvingSchema, isOptional: true },
    answer: credentialAnswer,
    refusals: [404, 409],
    async run({ organisation, param, body }, services) {
      const id = param("id");
      const { by_user: user } = await getRequest(services.store, organisation, id);
      if (body.id !== undefined && body.id !== user) {
        throw refusal(400, "The developer is not the one of the request.");
      }
      return approveRequest(services, organisation, id);
    },
  }),
];
