// Variables that requests fill: whether there is a request to read them from, and one of that name.

import { findSchema } from "../../../../schemas/catalogue.ts";
import {
  isRequestVariable,
  isUnbounded,
  needsCaller,
  requestVariableFamilies,
  requestVariableNames,
} from "../../../../schemas/request-variable.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { suggest } from "../../../diagnostics/suggest.ts";
import type { ApiDocument, FieldNode, RequestPart, StreamNode } from "../../../parse/document/api.ts";
import { asksWhoCalls } from "../../../parse/document/security.ts";
import { findNode } from "../../../parse/document/tree.ts";
import { componentsOf, servesClients } from "../components.ts";
import { printVariable, requestParts } from "../request-parts.ts";
import type { SetFacts } from "../set-facts.ts";

/** Reports each variable of a stream that no request can fill, or that nearly every request fills anew. */
export function checkRequestVariables(stream: StreamNode, api: ApiDocument, report: Report): void {
  const components = componentsOf(stream);
  const isReached = components.some(servesClients);
  for (const { role, name, config } of components) {
    const fields = config.kind === "Object" ? config.fields : [{ name, value: config }];
    for (const field of fields) {
      const parts = requestParts(field.value);
      const isRoute = isOfRoute(findSchema(role, name)?.properties?.[field.name], field.name);
      for (const part of parts) {
        if (isRoute) report("GW4164", part.span, { name: printVariable(part), field: field.name });
        else if (!isReached) report("GW4163", part.span, { name: printVariable(part) });
        else checkName(part, api, report);
      }
    }
  }
}

/** Routes are known before there is a request. */
function isOfRoute(schema: { readonly "x-route"?: string } | undefined, field: string): boolean {
  return schema?.["x-route"] !== undefined || field === "allowed_verbs";
}

function checkName(part: RequestPart, api: ApiDocument, report: Report): void {
  const { source, name, span } = part;
  const enabled = findNode(api.gateway, "middleware", "global", "contextVariables", "enabled");
  if (source === "context" && !isRequestVariable(name)) {
    report("GW4161", span, { name, closest: closestName(name), families: requestVariableFamilies });
  } else if (enabled?.kind === "scalar" && enabled.value === false && source === "context") {
    report("GW4165", span, { name: printVariable(part) });
  } else if ((source === "meta" || needsCaller(name)) && !asksWhoCalls(api)) {
    report("GW4166", span, { name: printVariable(part) });
  }
  if (source === "context" && isUnbounded(name)) report("GW4162", span, { name: printVariable(part) });
}

/** `jwt_claims_sub` for `jwt.claims.sub`, `headers_X` for `header_X`. */
function closestName(name: string): string | undefined {
  const joined = name.replaceAll(".", "_");
  if (isRequestVariable(joined)) return joined;
  const short = suggest(name, requestVariableNames);
  if (short !== undefined) return short;
  const [, start = "", rest = ""] = /^((?:[a-z]+_){1,2})(.+)$/.exec(joined) ?? [];
  const family = suggest(start, requestVariableFamilies);
  return family === undefined ? undefined : family + rest;
}

/** Reports variables of requests in what belongs to the process or to the whole API. */
export function checkRequestVariablesOfSet({ set }: Pick<SetFacts, "set">, report: Report): void {
  const wholes = [set.settingsFields, ...set.apis.map(({ gatewayFields }) => gatewayFields)];
  for (const fields of wholes) if (fields !== undefined) reportAll(fields, "this", report);
}

function reportAll(value: FieldNode, field: string, report: Report): void {
  if (value.kind === "Object") for (const each of value.fields) reportAll(each.value, each.name, report);
  else if (value.kind === "Component") reportAll(value.component.config, value.component.name, report);
  else {
    for (const part of requestParts(value)) report("GW4164", part.span, { name: printVariable(part), field });
  }
}
