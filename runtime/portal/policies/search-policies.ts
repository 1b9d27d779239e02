// Finding policies by what they say.

import { type Listed, listed, type Page } from "../../rest/lists.ts";
import type { Store, StoreConnection } from "../../store/store.ts";
import { readCatalogue } from "../documents/documents.ts";
import type { Policy } from "../generated/policy.ts";

/** What is looked for; what is not said does not count. */
export interface PolicySearch {
  /** A part of the name, in any case of its letters. */
  readonly text?: string;
  readonly ids?: ReadonlySet<string>;
  readonly isActive?: boolean;
  readonly state?: string;
  /** APIs, one of which it lets keys call. */
  readonly apis?: ReadonlySet<string>;
  /** As catalogue entries of the policy have it. */
  readonly authType?: string;
  readonly order?: PolicyOrder;
}

/** `date_created`, `name` or `state`; downwards with a `-` before it. */
export type PolicyOrder = `${"" | "-"}${"date_created" | "name" | "state"}`;

/** Every order there is. */
export const policyOrders: readonly PolicyOrder[] = [
  "date_created",
  "name",
  "state",
  "-date_created",
  "-name",
  "-state",
];

/** A page of the policies of an organisation that fit a search; the oldest first unless it says otherwise. */
export async function searchPolicies(
  store: Store,
  organisation: string,
  search: PolicySearch,
  page: Page | undefined,
): Promise<Listed<Policy>> {
  // Policies are few, and most of what is looked for is in their records.
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
  const sorted = inOrder(fitting, search.order ?? "date_created");
  const { offset = 0, limit = sorted.length } = page ?? {};
  return listed(sorted.slice(offset, offset + limit), sorted.length, page);
}

/** Policies that catalogue entries of a type of authentication are for; `undefined` where no type is looked for. */
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

/** Policies are active unless they say otherwise. */
function stateOf({ state = "active" }: Policy): string {
  return state;
}

/** Those that are equal stay in the order they were made in. */
function inOrder(policies: readonly Policy[], order: PolicyOrder): readonly Policy[] {
  const keys: Readonly<Record<string, (policy: Policy) => string>> = {
    // Ids grow with time.
    date_created: ({ id = "" }) => id,
    name: ({ name }) => name,
    state: stateOf,
  };
  const keyOf = keys[order.replace("-", "")] ?? stateOf;
  const sign = order.startsWith("-") ? -1 : 1;
  return policies.toSorted((a, b) => sign * compare(keyOf(a), keyOf(b)));
}

/** By code units, the same on every machine. */
function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
