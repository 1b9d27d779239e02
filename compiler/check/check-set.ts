// A whole set of documents in, what is wrong with it to `report`, and the facts that planning needs out.

import { invariant } from "../diagnostics/invariant.ts";
import type { Report } from "../diagnostics/sink.ts";
import type { SetModel } from "../model/set.ts";
import type { FieldNode } from "../trees/api.ts";
import { fieldsOf, fieldsOfStream } from "../trees/fields.ts";
import type { Expression, Mapping, Template } from "../trees/mapping.ts";
import type { CheckedSet } from "./checked-set.ts";
import { allowedNames } from "./document/allow-unsafe.ts";
import { applyRules } from "./document/apply-rules.ts";
import { createInspections, type InspectOptions } from "./document/inspections.ts";
import { requestJudge } from "./document/rules/request-variables.ts";
import { inferStreams } from "./flow/infer-set.ts";
import { namedSteps } from "./flow/named-steps.ts";
import { checkMapping, checkQuery, checkTemplate } from "./mapping/check.ts";
import type { CheckedMapping, CheckedQuery, CheckedTemplate, MappingScope } from "./mapping/checked.ts";
import type { CheckObserver, ObservedScript } from "./observer.ts";
import { cachesOf, checkResources } from "./resources.ts";

/** What scripts may use, and what calls functions of the runtime. */
export interface SetScope extends MappingScope {
  /** Inspects options that only the runtime can read; without it they are not looked at. */
  readonly inspect?: InspectOptions;
  /** Gets to know what is known of scripts. */
  readonly observer?: CheckObserver | undefined;
}

/**
 * Checks documents, their components, and every script in them. Where `set` is a part of a `whole`, the rest of it is only
 * looked at for how its documents go together.
 */
export function checkSet(set: SetModel, scope: SetScope, report: Report, whole = set): CheckedSet {
  const { observer } = scope;
  const inspections = createInspections(scope.inspect);
  applyRules(set, inspections, report, whole, scope.tenant);
  const mappings = new Map<Mapping, CheckedMapping>();
  const queries = new Map<Expression, CheckedQuery>();
  const templates = new Map<Template, CheckedTemplate>();
  const allowing = {
    ...scope,
    allowed: readAllowed(set),
    builtins: set.dialect.builtins,
    refusesUnset: true,
  };
  const scopes = new Map<FieldNode, MappingScope>();
  for (const { fields, scope: own } of scopesOf(set, allowing, report)) {
    for (const field of fields) {
      if (observer !== undefined) scopes.set(field, own);
      if (field.kind === "Mapping") mappings.set(field.mapping, checkMapping(field.mapping, own, report));
      if (field.kind === "Query") queries.set(field.query, checkQuery(field.query, own, report));
      if (field.kind === "Template")
        templates.set(field.template, checkTemplate(field.template, own, report));
    }
  }
  const scripts = { mappings, queries, templates, inspections };
  checkResources(set, scripts, report);
  const observe = observer && {
    script: (script: Omit<ObservedScript, "scope">) =>
      observer.script({ ...script, scope: scopes.get(script.field) ?? allowing }),
  };
  const flows = inferStreams(set, whole.routes, scripts, report, observe);
  const checked: CheckedSet = {
    set,
    whole,
    declared: (stream) => known(flows.get(stream)).schemas,
    steps: (stream) => known(flows.get(stream)).steps,
    namedSteps: (stream) => namedSteps(stream, known(flows.get(stream)).steps),
    failures: (stream) => known(flows.get(stream)).failures,
    mapping: (mapping) => known(mappings.get(mapping)),
    query: (query) => known(queries.get(query)),
    template: (template) => known(templates.get(template)),
  };
  observer?.checked(checked);
  return checked;
}

/** Scripts of a stream may use its caches and read what its requests give; those outside of streams, neither. */
function scopesOf(
  set: SetModel,
  scope: MappingScope,
  report: Report,
): readonly { readonly fields: Iterable<FieldNode>; readonly scope: MappingScope }[] {
  const { settingsFields } = set;
  const around = set.apis.map(({ gatewayFields }) => ({
    ...(gatewayFields && { gatewayFields }),
    streams: [],
  }));
  const streams = set.apis.flatMap((api) => api.streams.map((stream) => ({ stream, api })));
  const { tenant: _, ...ofOperator } = scope;
  return [
    { fields: fieldsOf({ ...(settingsFields && { settingsFields }), apis: [] }), scope: ofOperator },
    { fields: fieldsOf({ apis: around }), scope },
    ...streams.map(({ stream, api }) => ({
      fields: fieldsOfStream(stream),
      scope: { ...scope, caches: cachesOf(stream), judgeRequest: requestJudge(stream, api, report) },
    })),
  ];
}

/** What `allow_unsafe` of the set names. No name lets a compiler into a gateway. */
function readAllowed(set: SetModel): ReadonlySet<string> {
  const names = allowedNames(set.process).map(({ name }) => name);
  return new Set(names.filter((name) => set.dialect.builtins.findMethod(name)?.capability !== "compiler"));
}

function known<T>(fact: T | undefined): T {
  invariant(fact !== undefined, "every script of a set is checked");
  return fact;
}
