// How Kafka components log in: `sasl`.

import type { Schema } from "../../../../schemas/schema.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import type { ComponentNode, FieldNode } from "../../../trees/api.ts";
import { findField, findNamedField, literalText } from "../../../trees/fields.ts";

const mechanisms = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"];

/** Reports logins that lack what their mechanism needs, and those that name none. */
export function checkKafkaLogin({ config, descriptor }: ComponentNode, report: Report): void {
  const sasl = findNamedField(config, "sasl");
  if (sasl === undefined) return;
  const methods = sasl.value.kind === "List" ? sasl.value.items : [sasl.value];
  if (methods.length > 1) report("GW4181", sasl.nameSpan, { count: methods.length });
  else
    for (const method of methods)
      checkMethod(method, sasl.nameSpan, loginFields(descriptor?.schema.properties?.sasl), report);
}

interface LoginFields {
  readonly user: string;
  readonly token: string;
  /** Fields that get a token in place of `token`. */
  readonly sources: readonly string[];
}

/** The fields of a login, which are spelt differently in the two components. */
function loginFields(sasl: Schema | undefined): LoginFields {
  const properties = (sasl?.items ?? sasl)?.properties ?? {};
  return {
    user: "username" in properties ? "username" : "user",
    token: "access_token" in properties ? "access_token" : "token",
    sources: ["token_cache", "oauth2"].filter((name) => name in properties),
  };
}

function checkMethod(
  method: FieldNode,
  nameSpan: NonNullable<ReturnType<typeof findNamedField>>["nameSpan"],
  { user, token, sources }: LoginFields,
  report: Report,
): void {
  if (method.kind !== "Object") return;
  const named = findNamedField(method, "mechanism");
  const mechanism = named === undefined ? "none" : literalText(named.value);
  const span = named?.value.span ?? nameSpan;
  if (mechanism === "none") {
    // Written down, `none` is meant: the rest waits for the day it is not.
    if (named === undefined && method.fields.length > 0) report("GW4176", span, { mechanisms });
  } else if (mechanism === "OAUTHBEARER") {
    if (![token, ...sources].some((each) => isGiven(method, each)))
      report("GW4175", span, { mechanism, missing: [token], alternatives: sources });
  } else if (mechanism !== undefined && mechanisms.includes(mechanism)) {
    const missing = [user, "password"].filter((each) => !isGiven(method, each));
    if (missing.length > 0) report("GW4175", span, { mechanism, missing, alternatives: [] });
  }
}

/** What the environment will say counts as something. */
function isGiven(method: FieldNode, name: string): boolean {
  const field = findNamedField(method, name);
  if (field?.value.kind === "Object") {
    const enabled = findField(field.value, "enabled");
    return enabled !== undefined && !(enabled.kind === "Literal" && enabled.value === false);
  }
  return field !== undefined && literalText(field.value) !== "";
}
