// What of its surroundings a planned gateway asks for: environment variables and mounted secrets, by name.

import { expressionsIn, partsOf } from "../plan/mapping/contents.ts";
import type { Planned } from "../plan/mapping/ir.ts";
import type { ObjectPlan, SettingsPlan, ValuePlan } from "../plan/plan.ts";
import { variableReadsOf } from "../plan/values.ts";

/** An environment variable; a gateway does not start without `required` ones. */
export interface EnvironmentRead {
  readonly name: string;
  readonly required: boolean;
}

/** What values read: variables that are written in them, and literal `env("NAME")` of scripts, null where not set. */
export function readVariables(values: readonly ValuePlan[]): readonly EnvironmentRead[] {
  return values.flatMap((value): readonly EnvironmentRead[] => {
    switch (value.kind) {
      case "Environment":
        return value.parts.flatMap((part) =>
          part.kind === "Variable" ? [{ name: part.name, required: part.fallback === undefined }] : [],
        );
      case "MappingPlan":
      case "QueryPlan":
      case "TemplatePlan":
        return [
          ...expressionsIn(value).flatMap(askedBy),
          ...variableReadsOf(value).flatMap(({ from, name }) =>
            from === "environment" ? [{ name, required: true }] : [],
          ),
        ];
      default:
        return [];
    }
  });
}

/** Paths of the mounted secrets that values read. */
export function readSecrets(values: readonly ValuePlan[]): readonly string[] {
  const parts = values.flatMap((value) => (value.kind === "Environment" ? value.parts : []));
  return parts.flatMap((part) => (part.kind === "File" ? [part.path] : []));
}

/** The runtime's own variables that win over a setting, or stand in for one that is not written. */
export function readBySettings({ counters, oauth, store, portal }: SettingsPlan): readonly EnvironmentRead[] {
  const smtp = portal?.fields.find(({ name }) => name === "smtp")?.value;
  return [
    ...(counters === undefined && oauth === undefined ? [] : [optional("GW_REDIS_URL")]),
    ...(store === undefined ? [] : [{ name: "GW_STORE_URL", required: store.address === undefined }]),
    ...(portal === undefined
      ? []
      : [
          { name: "GW_PORTAL_ACCESS_TOKENS", required: true },
          ...["GW_PORTAL_LISTEN", "GW_WEBHOOK_SECRETS_KEY"].map(optional),
        ]),
    ...(portal?.fields.some(({ name }) => name === "single_sign_on")
      ? [{ name: "GW_PORTAL_CLIENT_SECRET", required: true }]
      : []),
    ...(smtp?.kind === "Object" ? [{ name: "GW_SMTP_URL", required: !has(smtp, "url") }] : []),
  ];
}

function optional(name: string): EnvironmentRead {
  return { name, required: false };
}

function has({ fields }: ObjectPlan, field: string): boolean {
  return fields.some(({ name }) => name === field);
}

function askedBy(node: Planned): readonly EnvironmentRead[] {
  const within = partsOf(node).flatMap(askedBy);
  if (node.kind !== "Call" || node.builtin.name !== "env") return within;
  const [name] = node.args;
  const text = name?.kind === "value" && name.value.kind === "Constant" ? name.value.value : undefined;
  return typeof text === "string" ? [optional(text), ...within] : within;
}
