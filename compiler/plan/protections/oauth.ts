// `oauth` and `oauth_clients` of a set in, what gives tokens to clients out.

import { hasStore } from "../../model/store.ts";
import type { ApiSet } from "../../trees/api.ts";
import { planRedis } from "../counters.ts";
import { findField, findObject } from "../find-field.ts";
import type { ObjectPlan, ValuePlan } from "../plan.ts";
import { planField, type ScriptPlanner } from "../plan-field.ts";
import { planWritten } from "./token-methods.ts";

/** What of a client the gateway has no use for. */
const forPeople = new Set(["redirect_uri", "use_case", "date_created"]);
const settings = ["access_token_lifetime", "refresh_tokens", "refresh_token_lifetime"];

/**
 * The endpoints, where there are clients, or where `oauth` is written and a store may have some; other gateways carry
 * none.
 */
export function planOauth(
  { settings: root, settingsFields }: ApiSet,
  scripts: ScriptPlanner,
): ObjectPlan | undefined {
  const field = findField(settingsFields, "oauth_clients");
  const clients = field?.kind === "List" ? field.items : [];
  const isOfStore = hasStore(root) && findField(settingsFields, "oauth") !== undefined;
  if (clients.length === 0 && !isOfStore) return undefined;
  const items = clients.map((client) => withoutNotes(planField(client, scripts)));
  const written = planWritten(findObject(settingsFields, "oauth"), settings, scripts);
  const list = { name: "clients", value: { kind: "List", items }, defaulted: false } as const;
  const redis = findField(settingsFields, "redis");
  const kept =
    redis === undefined ? [] : [{ name: "redis", value: planRedis(redis, scripts), defaulted: false }];
  return { kind: "Object", fields: [list, ...written, ...kept] };
}

function withoutNotes(client: ValuePlan): ValuePlan {
  if (client.kind !== "Object") return client;
  return { ...client, fields: client.fields.filter(({ name }) => !forPeople.has(name)) };
}
