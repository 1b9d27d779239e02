// The operations at `/policies`: the rights and limits of keys.

import { written } from "../../rest/answers.ts";
import { type Listed, listed, type Page, pageParameters, readPage, sortedBy } from "../../rest/lists.ts";
import type { OperationRequest, RestParameter } from "../../rest/operation.ts";
import type { Store, StoreConnection } from "../../store/store.ts";
import { readCatalogue } from "../documents/documents.ts";
import { type Policy, policySchema } from "../generated/policy.ts";
import { operation, type PortalOperation, type PortalServices, refuseForeignApis } from "../operation.ts";
import {
  configuredPoliciesOf,
  configuredPolicySchema,
  grantableApiSchema,
  grantableApisOf,
} from "../policies/named-in-policies.ts";
import { createPolicy, deletePolicy, getPolicy, replacePolicy } from "../policies/policies.ts";

/** The criteria of a search. Absent criteria match every policy. */
interface PolicySearch {
  /** A part of the name, ignoring case. */
  readonly text?: string;
  readonly ids?: ReadonlySet<string>;
  readonly isActive?: boolean;
  readonly state?: string;
  /** APIs of which the policy grants at least one. */
  readonly apis?: ReadonlySet<string>;
  /** The authentication type of a catalogue entry of the policy. */
  readonly authType?: string;
  readonly order?: PolicyOrder;
}

/** `date_created`, `name` or `state`; descending with a leading `-`. */
type PolicyOrder = `${"" | "-"}${"date_created" | "name" | "state"}`;

/** All the orders. */
const policyOrders: readonly PolicyOrder[] = [
  "date_created",
  "name",
  "state",
  "-date_created",
  "-name",
  "-state",
];

/** Returns a page of the organisation's policies that match a search, by default the oldest first. */
async function searchPolicies(
  store: Store,
  organisation: string,
  search: PolicySearch,
  page: Page | undefined,
): Promise<Listed<Policy>> {
  // There are few policies, and most criteria concern fields within the records.
  const fitting = await store.read(async (connection) => {
    const rows = await connection
      .selectFrom("policies")
      .select("record")
      .where("org_id", "=", organisation)
      .orderBy("id")
      .execute();
    const ofType = await policiesOfType(connection, organisation, search.authType);
    return rows
      .map(({ record }): Policy => JSON.parse(record))
      .filter((policy) => isFitting(policy, search) && (ofType?.has(policy.id ?? "") ?? true));
  });
  return pageOf(inOrder(fitting, search.order ?? "date_created"), page);
}

function pageOf<T>(all: readonly T[], page: Page | undefined): Listed<T> {
  const { offset = 0, limit = all.length } = page ?? {};
  return listed(all.slice(offset, offset + limit), all.length, page);
}

/** Returns the policies of catalogue entries with an authentication type; `undefined` if `type` is absent. */
async function policiesOfType(
  connection: StoreConnection,
  organisation: string,
  type: string | undefined,
): Promise<ReadonlySet<string | undefined> | undefined> {
  if (type === undefined) return undefined;
  const entries = await readCatalogue(connection, organisation);
  return new Set(entries.filter((entry) => entry.auth_type === type).map((entry) => entry.policy_id));
}

function isFitting(policy: Policy, { text, ids, isActive, state, apis }: PolicySearch): boolean {
  return (
    (text === undefined || policy.name.toLowerCase().includes(text.toLowerCase())) &&
    (ids?.has(policy.id ?? "") ?? true) &&
    (isActive === undefined || (policy.active !== false) === isActive) &&
    (state === undefined || stateOf(policy) === state) &&
    (apis === undefined || Object.keys(policy.access_rights ?? {}).some((api) => apis.has(api)))
  );
}

/** Policies without a state are active. */
function stateOf({ state = "active" }: Policy): string {
  return state;
}

/** Sorts policies. Equal ones stay in the order of their creation. */
function inOrder(policies: readonly Policy[], order: PolicyOrder): readonly Policy[] {
  const keys: Readonly<Record<string, (policy: Policy) => string>> = {
    // Ids increase with time.
    date_created: ({ id = "" }) => id,
    name: ({ name }) => name,
    state: stateOf,
  };
  return sortedBy(policies, order, keys[order.replace("-", "")] ?? stateOf);
}

const tag = "Policies";

const activeParameter: RestParameter = {
  name: "active",
  description: "Returns only policies that apply to keys, or only those that do not.",
  schema: { type: "string", enum: ["any", "true", "false"], default: "any" },
};

const searchParameters: readonly RestParameter[] = [
  ...pageParameters,
  activeParameter,
  { name: "q", description: "A part of the name.", schema: { type: "string" } },
  { name: "policy_ids", description: "Comma-separated ids.", schema: { type: "string" } },
  {
    name: "state",
    description: "Lifecycle state. `active` if a policy does not set one.",
    schema: { type: "string", enum: ["deny", "active", "draft"] },
  },
  {
    name: "sort",
    description: "Sort order of the list. A leading `-` sorts in descending order.",
    schema: { type: "string", enum: policyOrders, default: "date_created" },
  },
  {
    name: "api_id",
    description: "Comma-separated ids of APIs. The policy must grant access to one of them.",
    schema: { type: "string" },
  },
  {
    name: "auth_type",
    description: "The authentication type of a catalogue entry of the policy.",
    schema: { type: "string" },
  },
];

function readSearch({ query }: Pick<OperationRequest, "query">): PolicySearch {
  const text = (name: string) => query.get(name)?.toString();
  const texts = (name: string) => {
    const list = text(name);
    return list === undefined ? undefined : new Set(list.split(",").map((each) => each.trim()));
  };
  const [q, state, authType, ids, apis] = [
    text("q"),
    text("state"),
    text("auth_type"),
    texts("policy_ids"),
    texts("api_id"),
  ];
  const order = policyOrders.find((each) => each === text("sort"));
  const active = text("active") ?? "any";
  return {
    ...(q !== undefined && { text: q }),
    ...(ids !== undefined && { ids }),
    ...(active !== "any" && { isActive: active === "true" }),
    ...(state !== undefined && { state }),
    ...(apis !== undefined && { apis }),
    ...(authType !== undefined && { authType }),
    ...(order !== undefined && { order }),
  };
}

function refuseForeign(
  services: Pick<PortalServices, "servedApis">,
  organisation: string,
  { access_rights: rights = {} }: Policy,
): void {
  const apis = Object.entries(rights).flatMap(([api, { api_id: named }]) => [api, ...(named ? [named] : [])]);
  refuseForeignApis(services, organisation, { kind: "Policy", field: "access_rights", apis });
}

export const policyOperations: readonly PortalOperation[] = [
  operation({
    method: "GET",
    path: "/apis",
    operationId: "listApis",
    tag,
    summary: "Lists the APIs that the gateway serves now, which policies can name.",
    parameters: pageParameters,
    answer: { kind: "list", record: grantableApiSchema },
    async run(request, { servedApis }) {
      return pageOf(grantableApisOf(servedApis(), request.organisation), readPage(request));
    },
  }),
  operation({
    method: "GET",
    path: "/policies",
    operationId: "listPolicies",
    tag,
    summary: "Lists the policies of the organisation, the oldest first.",
    parameters: [...pageParameters, activeParameter],
    answer: { kind: "list", record: policySchema },
    run: (request, { store }) =>
      searchPolicies(store, request.organisation, readSearch(request), readPage(request)),
  }),
  operation({
    method: "GET",
    path: "/policies/configured",
    operationId: "listConfiguredPolicies",
    tag,
    summary: "Lists the policies of `gateway.yaml`, which keys and the catalogue can name as well.",
    parameters: pageParameters,
    answer: { kind: "list", record: configuredPolicySchema },
    run: async (request, { policies }) =>
      pageOf(configuredPoliciesOf(policies, request.organisation), readPage(request)),
  }),
  operation({
    method: "GET",
    path: "/policies/search",
    operationId: "searchPolicies",
    tag,
    summary: "Searches policies of the organisation. Policies must match all given criteria.",
    parameters: searchParameters,
    answer: { kind: "list", record: policySchema },
    run: (request, { store }) =>
      searchPolicies(store, request.organisation, readSearch(request), readPage(request)),
  }),
  operation({
    method: "POST",
    path: "/policies",
    operationId: "createPolicy",
    tag,
    summary: "Creates a policy.",
    body: { record: policySchema },
    answer: { kind: "written", message: "`Message` is its id." },
    refusals: [409],
    async run({ organisation, body }, services) {
      refuseForeign(services, organisation, body);
      return written(await createPolicy(services.store, organisation, body));
    },
  }),
  operation({
    method: "GET",
    path: "/policies/{id}",
    operationId: "readPolicy",
    tag,
    summary: "Reads a policy.",
    answer: { kind: "record", record: policySchema },
    refusals: [404],
    run: ({ organisation, param }, { store }) => getPolicy(store, organisation, param("id")),
  }),
  operation({
    method: "PUT",
    path: "/policies/{id}",
    operationId: "replacePolicy",
    tag,
    summary: "Replaces a policy completely. The change takes effect for its keys within a second.",
    body: { record: policySchema },
    answer: { kind: "written", message: "`Data updated`." },
    refusals: [404, 409],
    async run({ organisation, param, body }, services) {
      refuseForeign(services, organisation, body);
      await replacePolicy(services.store, organisation, param("id"), body);
      return written("Data updated");
    },
  }),
  operation({
    method: "DELETE",
    path: "/policies/{id}",
    operationId: "deletePolicy",
    tag,
    summary: "Deletes a policy. Within a second, keys that have no other policy can no longer call any API.",
    answer: { kind: "written", message: "`Data deleted`." },
    refusals: [404],
    async run({ organisation, param }, { store }) {
      await deletePolicy(store, organisation, param("id"));
      return written("Data deleted");
    },
  }),
];
