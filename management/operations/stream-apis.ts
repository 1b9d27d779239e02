// The operations at `/apis/streams`: streaming APIs and their definitions.

import { RestAnswer, refusal } from "../../runtime/rest/answers.ts";
import { pageParameters, readPage } from "../../runtime/rest/lists.ts";
import type { OperationRequest, RestParameter } from "../../runtime/rest/operation.ts";
import { type ApiPermission, permitted } from "../access/rights.ts";
import {
  findApi,
  getVersion,
  listApis,
  listVersions,
  type StoredApi,
  sortFields,
} from "../definitions/apis.ts";
import { describeRoutes } from "../definitions/callers.ts";
import { type DefinitionSetting, patchDescription } from "../definitions/patch.ts";
import { definitionBody, readSent, type SentDefinition, typeOf, versionTag } from "../definitions/sent.ts";
import { type ManagedOperation, type ManagementServices, managed } from "../operation.ts";
import { definitionAnswer, done, warningsOf, writtenWith } from "./answer-shapes.ts";

const tag = "Streaming APIs";
const shared = { tag, isStreaming: true, isPerApi: true } as const;

/**
 * Returns the API in a path, which may contain either of its two ids. Rejects with `missing` if there is no API that
 * the caller may see, and with 403 if the caller may read it but lacks the permission.
 */
export async function apiOf(
  { caller, param }: Pick<OperationRequest, "caller" | "param">,
  { store }: Pick<ManagementServices, "store">,
  permission: ApiPermission,
  missing: { readonly status: number; readonly message: string },
): Promise<StoredApi> {
  const api = await findApi(store, caller.organisation, param("id"));
  return permitted(caller, permission, api, refusal(missing.status, missing.message));
}

/** The error for an API that does not exist. Operations have different texts, on which older clients rely. */
export const noDetail = { status: 404, message: "Could not retrieve API detail." } as const;

function sentOf({ text, header }: Pick<OperationRequest, "text" | "header">): SentDefinition {
  return readSent(text, header("content-type"));
}

const patchParameters: readonly RestParameter[] = [
  { name: "listenPath", description: "New listen path of the API.", schema: { type: "string" } },
  { name: "customDomain", description: "Host name that the API serves.", schema: { type: "string" } },
  {
    name: "validateRequest",
    description: "Whether requests are validated against the description.",
    schema: { type: "boolean" },
  },
  {
    name: "authentication",
    description: "Whether callers must authenticate.",
    schema: { type: "boolean" },
  },
  {
    name: "mockResponse",
    description: "Not supported by streaming APIs: only `false` is accepted.",
    schema: { type: "boolean" },
  },
  {
    name: "allowList",
    description: "Not supported by streaming APIs: only `false` is accepted.",
    schema: { type: "boolean" },
  },
];

function settingsOf({ query }: Pick<OperationRequest, "query">): readonly DefinitionSetting[] {
  for (const name of ["mockResponse", "allowList"]) {
    if (query.get(name) === true) throw refusal(400, `\`${name}\` is nothing that streaming APIs have.`);
  }
  const server = ["x-gw-api-gateway", "server"];
  const places: readonly (readonly [name: string, path: readonly string[]])[] = [
    ["listenPath", [...server, "listenPath", "value"]],
    ["customDomain", [...server, "customDomain", "name"]],
    ["authentication", [...server, "authentication", "enabled"]],
    ["validateRequest", ["x-gw-api-gateway", "middleware", "global", "validateRequest", "enabled"]],
  ];
  const written = places.flatMap(([name, path]) => {
    const value = query.get(name);
    return typeof value === "string" || typeof value === "boolean" ? [{ path, value }] : [];
  });
  return query.has("customDomain")
    ? [...written, { path: [...server, "customDomain", "enabled"], value: true }]
    : written;
}

/**
 * Returns the operation that lists APIs at a path. Clients also request `/apis`, which could list other kinds of APIs.
 */
function listAt(path: string, operationId: string): ManagedOperation {
  return managed({
    ...shared,
    method: "GET",
    path,
    operationId,
    summary: "Lists the streaming APIs of the organisation, the newest first.",
    permission: "read",
    parameters: [
      ...pageParameters,
      { name: "q", description: "Part of the name.", schema: { type: "string" } },
      {
        name: "sort",
        description: "`name`, `created_at` or `updated_at`. A leading `-` reverses the order.",
        schema: { type: "string", enum: sortFields.flatMap((field) => [field, `-${field}`]) },
      },
    ],
    answer: {
      kind: "other",
      description: "A page of APIs, without their definitions.",
      schema: {
        type: "object",
        required: ["apis", "pages"],
        properties: { apis: { type: "array", items: { type: "object" } }, pages: { type: "integer" } },
      },
    },
    run: (request, { store }) =>
      listApis(store, request.caller, {
        page: readPage(request),
        search: request.query.get("q")?.toString(),
        sort: request.query.get("sort")?.toString(),
      }),
  });
}

export const streamApiOperations: readonly ManagedOperation[] = [
  listAt("/apis", "listApis"),
  listAt("/apis/streams", "listStreamApis"),
  managed({
    ...shared,
    method: "POST",
    path: "/apis/streams",
    operationId: "createStreamApi",
    summary: "Creates an API from a definition, compiles it and deploys it.",
    permission: "write",
    text: definitionBody,
    answer: writtenWith("`Meta` is the id of the record, `ID` that of the API."),
    refusals: [403, 409],
    async run(request, { changes }) {
      const { id, storeId, etag, warnings } = await changes.create(sentOf(request), {
        caller: request.caller,
        action: "createStreamApi",
      });
      const body = { Status: "OK", Message: "API created", Meta: storeId, ID: id };
      return new RestAnswer({ ...body, ...warningsOf(warnings) }, { etag });
    },
  }),
  managed({
    ...shared,
    method: "POST",
    path: "/apis/streams/validate",
    operationId: "validateStreamApi",
    summary: "Validates a definition without creating an API.",
    permission: "read",
    parameters: [
      {
        name: "id",
        description: "The API that the definition is for, if the definition does not name it.",
        schema: { type: "string" },
      },
    ],
    text: definitionBody,
    answer: writtenWith("The definition would be accepted; `Errors` lists warnings.", {
      Routes: {
        type: "array",
        items: { type: "object" },
        description:
          "The routes and who may call them by verb: security schemes with the scopes that they require, or `open`.",
      },
    }),
    refusals: [403, 404],
    async run(request, services) {
      const meant = request.query.get("id")?.toString();
      const param = () => meant ?? "";
      const api =
        meant === undefined ? undefined : await apiOf({ ...request, param }, services, "read", noDetail);
      const { facts, diagnostics, routes } = await services.changes.check(
        sentOf(request),
        request.caller,
        api?.id,
      );
      const body = { Status: "OK", Message: "API definition is valid", Meta: null };
      return {
        ...body,
        ...(facts.id !== undefined && { ID: facts.id }),
        Routes: describeRoutes(routes),
        ...warningsOf(diagnostics),
      };
    },
  }),
  managed({
    ...shared,
    method: "GET",
    path: "/apis/streams/{id}",
    operationId: "readStreamApi",
    summary: "Reads a definition as it was sent.",
    permission: "read",
    answer: definitionAnswer,
    refusals: [400],
    async run(request, services) {
      const api = await apiOf(request, services, "read", { ...noDetail, status: 400 });
      const { definition, format } = await getVersion(services.store, request.organisation, api);
      const headers = { "content-type": typeOf(format), etag: versionTag(api.version, api.digest) };
      return new RestAnswer(definition, headers);
    },
  }),
  managed({
    ...shared,
    method: "PUT",
    path: "/apis/streams/{id}",
    operationId: "replaceStreamApi",
    summary: "Replaces the definition of an API.",
    permission: "write",
    text: definitionBody,
    answer: writtenWith("`API updated.`"),
    refusals: [403, 404, 412],
    async run(request, services) {
      const missing = "API definition does not exist";
      const { id } = await apiOf(request, services, "write", { status: 404, message: missing });
      const { caller, header } = request;
      const options = { caller, action: "replaceStreamApi", ifMatch: header("if-match"), missing };
      const changed = await services.changes.replace(id, async () => sentOf(request), options);
      return done("API updated.", changed);
    },
  }),
  managed({
    ...shared,
    method: "PATCH",
    path: "/apis/streams/{id}",
    operationId: "patchStreamApi",
    summary:
      "Replaces the OpenAPI description of an API. Its streams and settings stay, except the settings that are given.",
    permission: "write",
    parameters: patchParameters,
    text: { ...definitionBody, description: "An OpenAPI document without the extensions, as JSON or YAML." },
    answer: writtenWith("`API updated`"),
    refusals: [403, 404, 412],
    async run(request, services) {
      const missing = { status: 404, message: "API not found." };
      const { id } = await apiOf(request, services, "write", missing);
      const settings = settingsOf(request);
      const { caller, header, organisation } = request;
      const options = {
        caller,
        action: "patchStreamApi",
        ifMatch: header("if-match"),
        missing: missing.message,
      };
      const patched = async () => {
        const api = await apiOf(request, services, "write", missing);
        const { definition: text, format } = await getVersion(services.store, organisation, api);
        return patchDescription({ text, format }, sentOf(request), settings);
      };
      const changed = await services.changes.replace(id, patched, options);
      return done("API updated", changed);
    },
  }),
  managed({
    ...shared,
    method: "DELETE",
    path: "/apis/streams/{id}",
    operationId: "deleteStreamApi",
    summary: "Deletes an API. Its streams stop after the messages in flight are processed.",
    permission: "write",
    answer: { kind: "written", message: "`API deleted.`" },
    refusals: [403, 404, 409, 412],
    async run(request, services) {
      const { id } = await apiOf(request, services, "write", noDetail);
      const { caller, header } = request;
      await services.changes.delete(id, { caller, action: "deleteStreamApi", ifMatch: header("if-match") });
      return { Status: "OK", Message: "API deleted.", Meta: null };
    },
  }),
  managed({
    ...shared,
    method: "GET",
    path: "/apis/streams/{id}/versions",
    operationId: "listStreamApiVersions",
    summary: "Lists the versions of a definition, the newest first.",
    permission: "read",
    answer: {
      kind: "other",
      description: "All of them, without their texts.",
      schema: {
        type: "object",
        required: ["Data", "Current"],
        properties: { Data: { type: "array", items: { type: "object" } }, Current: { type: "integer" } },
      },
    },
    refusals: [404],
    async run(request, services) {
      const { id, version } = await apiOf(request, services, "read", noDetail);
      const versions = await listVersions(services.store, request.organisation, id);
      return { Data: versions, Current: version };
    },
  }),
  managed({
    ...shared,
    method: "GET",
    path: "/apis/streams/{id}/versions/{version}",
    operationId: "readStreamApiVersion",
    summary: "Reads a version of a definition as it was sent.",
    permission: "read",
    answer: definitionAnswer,
    refusals: [404],
    async run(request, services) {
      const { definition, format } = await versionOf(request, services, "read");
      return new RestAnswer(definition, { "content-type": typeOf(format) });
    },
  }),
  managed({
    ...shared,
    method: "POST",
    path: "/apis/streams/{id}/versions/{version}/rollback",
    operationId: "rollBackStreamApi",
    summary: "Restores the text of an earlier version as the newest version.",
    permission: "write",
    answer: writtenWith("`API updated.`"),
    refusals: [400, 403, 404, 412],
    async run(request, services) {
      const { id } = await apiOf(request, services, "write", noDetail);
      const { definition: text, format } = await versionOf(request, services, "write");
      const { caller, header } = request;
      const options = {
        caller,
        action: "rollBackStreamApi",
        ifMatch: header("if-match"),
        missing: noDetail.message,
      };
      const changed = await services.changes.replace(id, async () => ({ text, format }), options);
      return done("API updated.", changed);
    },
  }),
];

async function versionOf(request: OperationRequest, services: ManagementServices, permission: ApiPermission) {
  const { id } = await apiOf(request, services, permission, noDetail);
  const text = request.param("version");
  const version = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return getVersion(services.store, request.organisation, { id, version });
}
