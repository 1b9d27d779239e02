// Checks a whole set of documents: reports what is wrong with it and returns the facts that planning needs.

import { invariant } from "../diagnostics/invariant.ts";
import { noMemory, type ResultsMemory } from "../diagnostics/results-memory.ts";
import { ignoreReports, type Report, watchReports } from "../diagnostics/sink.ts";
import type { SetModel } from "../model/set.ts";
import type { FieldNode } from "../trees/api.ts";
import { fieldsOf, fieldsOfStream } from "../trees/fields.ts";
import type { Expression, Mapping, Template } from "../trees/mapping.ts";
import { misdeclaredLabels } from "../trees/misdeclared-labels.ts";
import type { CheckedSet } from "./checked-set.ts";
import { allowedNames } from "./document/allow-unsafe.ts";
import { applyRules } from "./document/apply-rules.ts";
import { createInspections, type InspectOptions } from "./document/inspections.ts";
import { requestJudge } from "./document/rules/request-variables.ts";
import { inferStreams } from "./flow/infer-set.ts";
import { namedSteps } from "./flow/named-steps.ts";
import { checkMapping, checkQuery, checkTemplate } from "./mapping/check.ts";
import {
  type CheckedMapping,
  type CheckedQuery,
  type CheckedTemplate,
  isSelfContained,
  type MappingScope,
  repeatChecked,
} from "./mapping/checked.ts";
import type { CheckObserver, ObservedScript } from "./observer.ts";
import { cachesOf, checkResources } from "./resources.ts";
import { streamInputs } from "./stream-inputs.ts";

/** The functions and capabilities that scripts may use, and a way to call functions of the runtime. */
export interface SetScope extends MappingScope {
  /** Inspects options that only the runtime can read; without it these options are not inspected. */
  readonly inspect?: InspectOptions;
  /** The files that mappings import. */
  readonly imported?: readonly Mapping[];
  /** The results of earlier checks of the same documents. */
  readonly memory?: ResultsMemory | undefined;
  /** Receives the facts that the check finds out about scripts. */
  readonly observer?: CheckObserver | undefined;
}

/**
 * Checks documents, their components, and every script in them. If `set` is a part of a `whole`, the rest of the whole
 * is used only to check how its documents fit together.
 */
export function checkSet(set: SetModel, scope: SetScope, report: Report, whole = set): CheckedSet {
  const { observer } = scope;
  const inspections = createInspections(scope.inspect);
  applyRules(set, inspections, report, whole, scope);
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
  // An observer and the results of earlier checks are about the nodes of each mapping.
  const sound: SoundMappings | undefined =
    observer === undefined && scope.memory === undefined ? new Map() : undefined;
  for (const { fields, scopeFor, recall } of scopesOf(set, allowing, whole)) {
    const checkedFields = recall(report, (report) => {
      const own = scopeFor(report);
      return [...fields()].flatMap((field) => checkScript(field, own, report, sound) ?? []);
    });
    for (const { field, scope: own, ...found } of checkedFields) {
      if (observer !== undefined) scopes.set(field, own);
      if (found.mapping !== undefined) mappings.set(...found.mapping);
      if (found.query !== undefined) queries.set(...found.query);
      if (found.template !== undefined) templates.set(...found.template);
    }
  }
  const scripts = { mappings, queries, templates, inspections };
  checkResources(set, scripts, report);
  const observe = observer && {
    script: (script: Omit<ObservedScript, "scope">) =>
      observer.script({ ...script, scope: scopes.get(script.field) ?? allowing }),
  };
  const flows = inferStreams(set, whole, { ...scripts, memory: scope.memory }, report, observe);
  const checked: CheckedSet = {
    set,
    whole,
    files: [
      ...set.documents.map(({ file }) => file),
      ...(scope.imported ?? []).map(({ source }) => source.file),
    ],
    declared: (stream) => known(flows.get(stream)).schemas,
    steps: (stream) => known(flows.get(stream)).steps,
    namedSteps: (stream) => namedSteps(stream, known(flows.get(stream)).steps),
    failures: (stream) => known(flows.get(stream)).failures,
    mapping: (mapping) => known(mappings.get(mapping)),
    query: (query) => known(queries.get(query)),
    template: (template) => known(templates.get(template)),
    links: inspections.links,
  };
  observer?.checked(checked);
  return checked;
}

/** A field that contains a script, with the result of its check. */
interface CheckedField {
  readonly field: FieldNode;
  readonly scope: MappingScope;
  readonly mapping?: readonly [Mapping, CheckedMapping];
  readonly query?: readonly [Expression, CheckedQuery];
  readonly template?: readonly [Template, CheckedTemplate];
}

/** The results of mappings without problems whose check depends only on their text. */
type SoundMappings = Map<Mapping, CheckedMapping>;

function checkScript(
  field: FieldNode,
  scope: MappingScope,
  report: Report,
  sound: SoundMappings | undefined,
): CheckedField | undefined {
  switch (field.kind) {
    case "Mapping":
      return { field, scope, mapping: [field.mapping, checkOnce(field.mapping, scope, report, sound)] };
    case "Query":
      return { field, scope, query: [field.query, checkQuery(field.query, scope, report)] };
    case "Template":
      return { field, scope, template: [field.template, checkTemplate(field.template, scope, report)] };
    default:
      return undefined;
  }
}

/** Checks a mapping, unless one with the same text was checked and had no problems. */
function checkOnce(
  mapping: Mapping,
  scope: MappingScope,
  report: Report,
  sound: SoundMappings | undefined,
): CheckedMapping {
  const like = mapping.like && sound?.get(mapping.like);
  if (like !== undefined)
    return repeatChecked(mapping, like, () => checkMapping(mapping, scope, ignoreReports));
  const watched = watchReports(report);
  const checked = checkMapping(mapping, scope, watched.report);
  if (!watched.hasReported() && isSelfContained(checked)) sound?.set(mapping, checked);
  return checked;
}

/** Fields whose scripts run in the same scope. */
interface ScopedFields {
  readonly fields: () => Iterable<FieldNode>;
  readonly scopeFor: (report: Report) => MappingScope;
  readonly recall: <T>(report: Report, work: (report: Report) => T) => T;
}

/** Scripts of a stream may use its caches and the data of its requests; scripts outside of streams may use neither. */
function scopesOf(
  set: SetModel,
  scope: MappingScope & Pick<SetScope, "memory">,
  whole: SetModel,
): readonly ScopedFields[] {
  const { settingsFields } = set;
  const { memory = noMemory } = scope;
  const around = set.apis.map(({ gatewayFields }) => ({
    ...(gatewayFields && { gatewayFields }),
    streams: [],
  }));
  const { tenant: _, ...ofOperator } = scope;
  const anew: ScopedFields["recall"] = (report, work) => work(report);
  const ofSet = () => fieldsOf({ ...(settingsFields && { settingsFields }), apis: [] });
  return [
    { fields: ofSet, scopeFor: () => ofOperator, recall: anew },
    { fields: () => fieldsOf({ apis: around }), scopeFor: () => scope, recall: anew },
    ...set.apis.flatMap((api) => {
      const inputs = streamInputs(api, whole, scope.tenant);
      return api.streams.map((stream): ScopedFields => {
        const caches = cachesOf(stream);
        const misdeclared = misdeclaredLabels(stream.node);
        return {
          fields: () => fieldsOfStream(stream),
          scopeFor: (report) => ({
            ...scope,
            caches,
            misdeclared,
            judgeRequest: requestJudge(stream, api, report),
          }),
          recall: (report, work) => memory.recall("scripts", stream, inputs, report, work),
        };
      });
    }),
  ];
}

/** The names in `allow_unsafe` of the set. No name can allow a gateway to contain a compiler. */
function readAllowed(set: SetModel): ReadonlySet<string> {
  const names = allowedNames(set.process).map(({ name }) => name);
  return new Set(names.filter((name) => set.dialect.builtins.findMethod(name)?.capability !== "compiler"));
}

function known<T>(fact: T | undefined): T {
  invariant(fact !== undefined, "every script of a set is checked");
  return fact;
}
