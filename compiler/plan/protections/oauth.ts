// `oauth` and `oauth_clients` of a set in, what gives tokens to clients out.

import type { SettingsModel } from "../../model/settings.ts";
import { planRedis } from "../counters.ts";
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
export function planOauth({ oauth, redis }: SettingsModel, scripts: ScriptPlanner): ObjectPlan | undefined {
  if (!oauth.isOffered) return undefined;
  const items = oauth.clientFields.map((client) => withoutNotes(planField(client, scripts)));
  const written = planWritten(oauth.fields, settings, scripts);
  const list = { name: "clients", value: { kind: "List", items }, defaulted: false } as const;
  const kept =
    redis?.field === undefined
      ? []
      : [{ name: "redis", value: planRedis(redis.field, scripts), defaulted: false }];
  return { kind: "Object", fields: [list, ...written, ...kept] };
}

function withoutNotes(client: ValuePlan): ValuePlan {
  if (client.kind !== "Object") return client;
  return { ...client, fields: client.fields.filter(({ name }) => !forPeople.has(name)) };
}
