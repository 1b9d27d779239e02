// The APIs and policies in the gateway's own configuration, which authors of policies need to know.

import type { ApiIdentity } from "../../http/call.ts";
import type { PolicyRecord } from "../../keys/records.ts";
import type { RecordSchema } from "../../rest/operation.ts";

/** An API to which policies can grant rights. */
export interface GrantableApi {
  readonly id: string;
  readonly name: string;
  readonly listen_path: string;
}

/** The JSON Schema of `GrantableApi`. */
export const grantableApiSchema: RecordSchema<GrantableApi> = {
  name: "GrantableApi",
  schema: {
    title: "API",
    description: "An API that the gateway serves.",
    type: "object",
    additionalProperties: false,
    required: ["id", "name", "listen_path"],
    properties: {
      id: { type: "string", description: "The id by which policies name it." },
      name: { type: "string", description: "Display name." },
      listen_path: { type: "string", description: "The path prefix of its requests." },
    },
  },
};

/** Returns the APIs of an organisation, ordered by id. */
export function grantableApisOf(apis: readonly ApiIdentity[], organisation: string): readonly GrantableApi[] {
  return apis
    .filter(({ organisation: owner = organisation }) => owner === organisation)
    .map(({ id, name = id, listenPath }) => ({ id, name, listen_path: listenPath }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/**
 * A policy of `gateway.yaml`. It has no record in the store, because its path patterns are compiled into the gateway.
 */
export interface ConfiguredPolicy
  extends Pick<PolicyRecord, "rate" | "per" | "quota_max" | "quota_renewal_rate" | "key_expires_in"> {
  readonly id: string;
  readonly name: string;
  /** The ids of the APIs that keys with the policy may call. */
  readonly apis: readonly string[];
}

const number = (description: string) => ({ type: "number", description });

/** The JSON Schema of `ConfiguredPolicy`. */
export const configuredPolicySchema: RecordSchema<ConfiguredPolicy> = {
  name: "ConfiguredPolicy",
  schema: {
    title: "Configured policy",
    description: "A policy of `gateway.yaml`, which only that file changes.",
    type: "object",
    additionalProperties: false,
    required: ["id", "name", "apis"],
    properties: {
      id: { type: "string", description: "The id by which keys name it." },
      name: { type: "string", description: "Display name." },
      apis: {
        type: "array",
        description: "Ids of the APIs that keys may call with it.",
        items: { type: "string" },
      },
      rate: number("Permitted requests per `per`."),
      per: number("The period of `rate` in seconds."),
      quota_max: number("Permitted requests until the quota is renewed; -1 if unlimited."),
      quota_renewal_rate: number("Seconds until the quota is renewed."),
      key_expires_in: number(
        "Lifetime in seconds of keys that the portal creates with it; 0 if they never expire.",
      ),
    },
  },
};

const limits = ["rate", "per", "quota_max", "quota_renewal_rate", "key_expires_in"] as const;

/** Returns the configured policies of an organisation, in the order of the file. */
export function configuredPoliciesOf(
  policies: ReadonlyMap<string, PolicyRecord>,
  organisation: string,
): readonly ConfiguredPolicy[] {
  return [...policies]
    .filter(([, { org_id: owner = organisation }]) => owner === organisation)
    .map(([id, policy]) => ({
      id,
      name: policy.name ?? id,
      apis: Object.keys(policy.access_rights ?? {}),
      ...Object.fromEntries(
        limits.flatMap((limit) => (policy[limit] === undefined ? [] : [[limit, policy[limit]]])),
      ),
    }));
}
