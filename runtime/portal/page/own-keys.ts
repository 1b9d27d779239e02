// The operations of a logged-in developer on its own credentials.

import type { StoredKey } from "../../keys/stored-records.ts";
import { notFound, written } from "../../rest/answers.ts";
import type { OperationRequest } from "../../rest/operation.ts";
import { deleteDeveloperKey, rotateDeveloperKey } from "../developers/developer-keys.ts";
import { findOwners } from "../developers/owner-records.ts";
import { type CatalogueEntry, entriesFor } from "../documents/catalogue-entries.ts";
import { readCatalogue } from "../documents/documents.ts";
import { chooseLanguage, textIn } from "../languages/languages.ts";
import { operation, type PortalOperation, type PortalServices } from "../operation.ts";
import { credentialAnswer } from "../operations/credential-answer.ts";
import { findPolicies, type KnownPolicy } from "../policies/known-policies.ts";
import { kindsOf } from "../requests/give-credential.ts";
import { type LimitUsage, limitUsageSchema } from "./key-usage.ts";
import { type OwnKey, ownKeySchema, rotatingSchema } from "./own-records.ts";

const tag = "Own";
/** The number of leading characters of a hash that tell the keys of one developer apart. */
const prefixLength = 8;

/** Operations whose `caller.developer` is the logged-in developer. */
export const ownKeyOperations: readonly PortalOperation[] = [
  operation({
    method: "GET",
    path: "/keys",
    operationId: "listOwnKeys",
    tag,
    summary: "Lists the developer's keys and OAuth clients by the beginning of their ids.",
    answer: { kind: "list", record: ownKeySchema },
    async run(request, services) {
      return { Data: await readKeys(request, services), Pages: 1 };
    },
  }),
  operation({
    method: "GET",
    path: "/keys/{id}",
    operationId: "readOwnKey",
    tag,
    summary: "Reads a key or an OAuth client of the developer.",
    answer: { kind: "record", record: ownKeySchema },
    refusals: [404],
    async run(request, services) {
      const found = (await readKeys(request, services)).find(({ id }) => id === request.param("id"));
      if (found === undefined) throw notFound();
      return found;
    },
  }),
  operation({
    method: "GET",
    path: "/keys/{id}/usage",
    operationId: "readOwnUsage",
    tag,
    summary:
      "Lists the limits of a key and what is left of each; an OAuth client, whose tokens are counted, has none.",
    answer: { kind: "list", record: limitUsageSchema },
    refusals: [404],
    async run(request, services) {
      return { Data: await readUsage(request, services), Pages: 1 };
    },
  }),
  operation({
    method: "POST",
    path: "/keys/{id}/rotate",
    operationId: "rotateOwnKey",
    tag,
    summary:
      "Replaces a key with a new one that has the same policies. The old key works for at most one more second.",
    body: { record: rotatingSchema, isOptional: true },
    answer: credentialAnswer,
    refusals: [404, 409],
    run({ organisation, caller, param, body }, services) {
      const replaced = { owner: caller.developer ?? "", key: param("id") };
      return rotateDeveloperKey(services, organisation, replaced, body);
    },
  }),
  operation({
    method: "DELETE",
    path: "/keys/{id}",
    operationId: "revokeOwnKey",
    tag,
    summary: "Revokes a key or an OAuth client of the developer. It works for at most one more second.",
    answer: { kind: "written", message: "`Data deleted`." },
    refusals: [404],
    async run({ organisation, caller, param }, { store }) {
      await deleteDeveloperKey(store, organisation, caller.developer ?? "", param("id"));
      return written("Data deleted");
    },
  }),
];

async function readUsage(
  { organisation, caller, param }: Pick<OperationRequest, "organisation" | "caller" | "param">,
  { store, keys: known, usage }: PortalServices,
): Promise<readonly LimitUsage[]> {
  const [id, key] = [caller.developer ?? "", param("id")];
  const owned = await store.read(async (connection) => {
    const owner = (await findOwners(connection, organisation, [id])).get(id);
    const { keys = {}, oauth_clients: clients = {} } = owner ?? {};
    const isClient = Object.values(clients).some((list) => list.some(({ client_id: name }) => name === key));
    if (isClient) return undefined;
    if (!Object.hasOwn(keys, key)) throw notFound();
    return connection
      .selectFrom("keys")
      .select("user_name")
      .where("org_id", "=", organisation)
      .where("key_hash", "=", key)
      .executeTakeFirst();
  });
  if (owned === undefined) return [];
  const { user_name: user } = owned;
  const found = await (user === null ? known?.findKey(key) : known?.findUser(user));
  return found === undefined ? [] : ((await usage?.(found.session)) ?? []);
}

async function readKeys(
  { organisation, caller, header }: Pick<OperationRequest, "organisation" | "caller" | "header">,
  { store, policies: configured, languages }: PortalServices,
): Promise<readonly OwnKey[]> {
  const id = caller.developer ?? "";
  return store.read(async (connection) => {
    const owner = (await findOwners(connection, organisation, [id])).get(id);
    if (owner === undefined) throw notFound();
    const { keys = {}, oauth_clients: clients = {} } = owner;
    const rows = await connection
      .selectFrom("keys")
      .select(["key_hash", "user_name", "record"])
      .where("org_id", "=", organisation)
      .where("key_hash", "in", [...Object.keys(keys), ""])
      .execute();
    const named = [...new Set([...Object.values(keys).flat(), ...Object.keys(clients)])];
    const known = await findPolicies(connection, configured, organisation, named);
    const language = chooseLanguage(languages, header("accept-language"), undefined);
    const textOf: LimitText = (name, values) => textIn(languages, language, name, values);
    const limitsOf = (ids: readonly string[]) =>
      ids.flatMap((policy) => describeLimits(known.get(policy), textOf));
    const catalogue = await readCatalogue(connection, organisation);
    const own = rows.map(({ key_hash: hash, user_name: user, record }): OwnKey => {
      const stored: StoredKey = JSON.parse(record);
      const { apply_policies: policies = [], expires = 0 } = stored;
      const [entry] = entriesFor(catalogue, policies, undefined);
      const kind = user === null ? keyKindOf(stored, entry) : "user";
      const prefix = hash.slice(0, prefixLength);
      return { id: hash, prefix, kind, policies, limits: limitsOf(policies), expires };
    });
    const others = Object.entries(clients).flatMap(([policy, list]) =>
      list.map(({ client_id: client }): OwnKey => {
        const prefix = client.slice(0, prefixLength);
        return {
          id: client,
          prefix,
          kind: "client",
          policies: [policy],
          limits: limitsOf([policy]),
          expires: 0,
        };
      }),
    );
    return [...own, ...others];
  });
}

/** Records do not tell certificates apart from keys: the catalogue entry of the policies does. */
function keyKindOf(record: StoredKey, entry: CatalogueEntry | undefined): OwnKey["kind"] {
  const [kind] = kindsOf(record);
  if (kind === "hmac" || kind === "jwt") return kind;
  return entry?.auth_type === "mutualTLS" ? "certificate" : "key";
}

type LimitText = (
  name: "limit.rate" | "limit.quota" | "limit.renewedQuota",
  values: Readonly<Record<string, string>>,
) => string;

/** Describes the limits of a policy, such as `100 requests in 60 s`. */
function describeLimits(policy: KnownPolicy | undefined, textOf: LimitText): readonly string[] {
  if (policy === undefined) return [];
  const { rate = 0, per = 0, quota_max: quota = -1, quota_renewal_rate: renewal = 0 } = policy;
  return [
    ...(rate > 0 && per > 0 ? [textOf("limit.rate", { count: String(rate), seconds: String(per) })] : []),
    ...(quota >= 0
      ? [
          textOf(renewal > 0 ? "limit.renewedQuota" : "limit.quota", {
            count: String(quota),
            seconds: String(renewal),
          }),
        ]
      : []),
  ];
}
