// Rules about variables with values of the request: whether there is a request to read, and a variable of that name.

import { besideSchema, documentSchemas } from "../../../../schemas/catalogue.ts";
import {
  isRequestVariable,
  isUnbounded,
  needsCaller,
  requestVariableFamilies,
  requestVariableNames,
} from "../../../../schemas/request-variable.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { suggest } from "../../../diagnostics/suggest.ts";
import type { ApiModel } from "../../../model/api.ts";
import { componentsOf, declaredApart, servesClients } from "../../../model/components.ts";
import { collectRoutesOf } from "../../../model/routes.ts";
import type { SetModel } from "../../../model/set.ts";
import { once } from "../../../model/written.ts";
import { type Span, spanOf } from "../../../source/source.ts";
import type { FieldNode, StreamNode } from "../../../trees/api.ts";
import type { DocumentNode } from "../../../trees/document.ts";
import { fieldsOfStream, innerFields, literalText } from "../../../trees/fields.ts";
import {
  printVariable,
  type RequestPart,
  reportVariablesInKey,
  variablesIn,
} from "../../../trees/named-variables.ts";

/**
 * Reports each variable in the fields of a stream that no request can fill, or that has a new value for nearly every
 * request.
 */
export function checkRequestVariables(stream: StreamNode, api: ApiModel, report: Report): void {
  const judge = requestJudge(stream, api, report);
  for (const { name, config, descriptor } of [...componentsOf(stream), ...declaredApart(stream)]) {
    const fields = config.kind === "Object" ? config.fields : [{ name, value: config }];
    for (const field of fields) {
      const parts = requestParts(field.value);
      const isRoute = isOfRoute(descriptor?.schema.properties?.[field.name], field.name);
      reportNameless(field.value, report);
      for (const part of parts) {
        if (isRoute) report("GW4164", part.span, { name: printVariable(part), field: field.name });
        else judge(part);
      }
    }
  }
}

/** Matches `$gw_context` without a name, which is sent as plain text. */
const nameless = /\$(?:gw|tyk)_(?:context|meta)(?![A-Za-z0-9_]|\.[A-Za-z0-9_])/g;

function reportNameless(field: FieldNode, report: Report): void {
  for (const inner of innerFields(field)) reportNameless(inner, report);
  if (field.kind !== "Literal" && field.kind !== "Environment" && field.kind !== "Template") return;
  const { source, start, end } = field.span;
  const text = source.text.slice(start, end);
  if (!text.includes("$")) return;
  for (const { 0: written, index } of text.matchAll(nameless))
    report("GW4168", spanOf(source, start + index, start + index + written.length), { source: written });
}

/** Returns a function that reports a variable that no request can fill, in any field or script of the stream. */
export function requestJudge(
  stream: StreamNode,
  api: ApiModel,
  report: Report,
): (variable: RequestPart) => void {
  const isReached = componentsOf(stream).some(servesClients);
  const parametersOf = once(() => (isReached ? pathParametersOf(stream, api) : undefined));
  return (variable) => {
    const parameters = parametersOf();
    const misspelt = parameters && findMisspeltPath(variable, parameters, stream, api);
    if (misspelt !== undefined) {
      const { path, declared } = misspelt;
      const details = {
        name: variable.name,
        closest: undefined,
        families: requestVariableFamilies,
        declared,
      };
      report("GW4161", path, details, { span: variable.span, message: "The variable is read here." });
    } else if (isReached) checkName(variable, parameters, api, report);
    else report("GW4163", variable.span, { name: printVariable(variable) });
  };
}

/**
 * Finds the path of an endpoint that spells a parameter differently than the document, if the variable follows the
 * document.
 */
function findMisspeltPath(
  { source, name }: RequestPart,
  parameters: readonly string[],
  stream: StreamNode,
  api: ApiModel,
): { readonly path: Span; readonly declared: string } | undefined {
  if (source !== "context" || !name.startsWith("path_params_") || parameters.includes(name)) return undefined;
  const written = `{${name.slice("path_params_".length)}}`;
  const bare = (path: string) => path.replaceAll(/\{[^}]*\}/g, "{}");
  for (const { ownPath, span } of collectRoutesOf(stream, api)) {
    const declared = api.paths.find(({ path }) => path.includes(written) && bare(path) === bare(ownPath));
    if (declared !== undefined) return { path: span, declared: declared.path };
  }
  return undefined;
}

/**
 * Reports variables in texts of a stream that are not interpolated, such as labels and schemas: the variables would
 * stay plain text.
 */
export function checkUnreadVariables(stream: StreamNode, _api: ApiModel, report: Report): void {
  for (const variable of variablesIn(stream.name, stream.nameSpan.source, stream.nameSpan.start))
    report("GW4380", stream.nameSpan, { name: printVariable(variable), place: "key" });
  const read = once(() => readPlaces(stream));
  const astray = once(() => unreadKeys(stream));
  const known = documentSchemas.stream.properties ?? {};
  for (const { key, value } of stream.node.entries)
    if (Object.hasOwn(known, key)) reportUnread(value, key, { read, astray }, report);
}

/** Places where variables are read, and unknown keys, which are already reported. */
interface Places {
  readonly read: () => ReadonlySet<string>;
  readonly astray: () => ReadonlySet<string>;
}

/** Returns the keys that could not be read, each with the source range of its object. */
function unreadKeys(stream: StreamNode): ReadonlySet<string> {
  const within = fieldsOfStream(stream).flatMap((field) =>
    field.kind === "Object" ? (field.unread ?? []).map((key) => placeOfKey(field.span, key)) : [],
  );
  const beside = [...componentsOf(stream), ...declaredApart(stream)].flatMap(({ role, node, nameSpan }) => {
    const known = besideSchema(role).properties ?? {};
    const astray = node.entries.filter(
      ({ key, keySpan }) => keySpan !== nameSpan && !Object.hasOwn(known, key),
    );
    return astray.map(({ key }) => placeOfKey(node.span, key));
  });
  return new Set([...within, ...beside]);
}

function placeOfKey(owner: Span, key: string): string {
  return `${placeOf(owner)} ${key}`;
}

/** Returns the file offsets of texts that are read as scripts, and of variables that are read in other texts. */
function readPlaces(stream: StreamNode): ReadonlySet<string> {
  const places = fieldsOfStream(stream).flatMap((field): readonly Span[] => {
    if (field.kind === "Environment")
      return field.parts.flatMap((part) => (part.kind === "Text" ? [] : [part.span]));
    return field.kind === "Mapping" || field.kind === "Query" || field.kind === "Template"
      ? [field.span]
      : [];
  });
  return new Set(places.map(placeOf));
}

function placeOf({ source, start }: Span): string {
  return `${source.file.path} ${source.offsetInFile(start)}`;
}

/** Keys with text for people. Another rule reports labels that are not known in advance. */
const prose = new Set(["$comment", "description", "examples", "label", "title"]);

function reportUnread(
  node: DocumentNode,
  field: string,
  places: Places,
  report: Report,
  above?: KeyAbove,
): void {
  const { read, astray } = places;
  if (node.kind === "list") for (const item of node.items) reportUnread(item, field, places, report, above);
  if (node.kind === "map") {
    for (const entry of node.entries) {
      const { key, value } = entry;
      reportVariablesInKey(entry, report);
      if (!prose.has(key)) reportUnread(value, key, places, report, { owner: node.span, key, above });
    }
  }
  const isText = node.kind === "scalar" && typeof node.value === "string" && node.value.includes("$");
  if (!isText || read().has(placeOf(node.span))) return;
  for (const variable of variablesIn(node.text.text, node.text, 0)) {
    if (variable.kind === "Unknown" || read().has(placeOf(variable.span))) continue;
    if (!isBelow(above, astray())) report("GW4383", variable.span, { name: printVariable(variable), field });
  }
}

/** A key above a value, with the keys above that key. */
interface KeyAbove {
  readonly owner: Span;
  readonly key: string;
  readonly above: KeyAbove | undefined;
}

function isBelow(above: KeyAbove | undefined, keys: ReadonlySet<string>): boolean {
  for (let each = above; each !== undefined; each = each.above)
    if (keys.has(placeOfKey(each.owner, each.key))) return true;
  return false;
}

/** Whether the field defines a route, which must be known before there is a request. */
function isOfRoute(schema: { readonly "x-route"?: string } | undefined, field: string): boolean {
  return schema?.["x-route"] !== undefined || field === "allowed_verbs";
}

/**
 * Returns the variables of the path parameters of a stream's routes; `undefined` if a path is known only at run time.
 */
function pathParametersOf(stream: StreamNode, api: ApiModel): readonly string[] | undefined {
  const fields = componentsOf(stream).flatMap(({ config, descriptor }) => {
    const properties = descriptor?.schema.properties;
    if (config.kind !== "Object") return [];
    return config.fields.filter((field) => properties?.[field.name]?.["x-route"] !== undefined);
  });
  if (fields.some(({ value }) => literalText(value) === undefined)) return undefined;
  const paths = collectRoutesOf(stream, api);
  const names = paths.flatMap(({ path }) => [...path.matchAll(/\{([^{}/]+)\}/g)].map(([, name]) => name));
  return [...new Set(names)].map((name) => `path_params_${name}`);
}

function checkName(
  part: RequestPart,
  parameters: readonly string[] | undefined,
  api: ApiModel,
  report: Report,
): void {
  const { source, name, span } = part;
  if (source === "context" && name.startsWith("path_params_") && parameters?.includes(name) === false) {
    const [only, ...others] = parameters;
    const closest = others.length === 0 ? only : suggest(name, parameters);
    report("GW4161", span, { name, closest, families: requestVariableFamilies, parameters });
    return;
  }
  if (source === "context" && !isRequestVariable(name)) {
    report("GW4161", span, { name, closest: closestName(name), families: requestVariableFamilies });
  } else if (api.blocks.contextVariables?.isOff && source === "context") {
    report("GW4165", span, { name: printVariable(part) });
  } else if ((source === "meta" || needsCaller(name)) && !api.authentication.isRequired) {
    report("GW4166", span, { name: printVariable(part) });
  }
  if (source === "context" && isUnbounded(name)) report("GW4162", span, { name: printVariable(part) });
}

/** Returns the variable that a name resembles: `jwt_claims_sub` for `jwt.claims.sub`, `headers_X` for `header_X`. */
function closestName(name: string): string | undefined {
  const joined = name.replaceAll(".", "_");
  if (isRequestVariable(joined)) return joined;
  const short = suggest(name, requestVariableNames);
  if (short !== undefined) return short;
  const [, start = "", rest = ""] = /^((?:[a-z]+_){1,2})(.+)$/.exec(joined) ?? [];
  const family = suggest(start, requestVariableFamilies);
  return family === undefined ? undefined : family + rest;
}

/** Reports request variables in settings of the process or of the whole API. */
export function checkRequestVariablesOfSet(set: SetModel, report: Report): void {
  const wholes = [set.settingsFields, ...set.apis.map(({ gatewayFields }) => gatewayFields)];
  for (const fields of wholes) if (fields !== undefined) reportAll(fields, "this", report);
  // The address of an API is part of where it listens.
  for (const { node } of set.apis.flatMap(({ servers }) => servers))
    reportUnread(node, "servers", { read: () => new Set(), astray: () => new Set() }, report);
}

function reportAll(value: FieldNode, field: string, report: Report): void {
  if (value.kind === "Object") for (const each of value.fields) reportAll(each.value, each.name, report);
  else if (value.kind === "Component") reportAll(value.component.config, value.component.name, report);
  else {
    for (const part of requestParts(value)) report("GW4164", part.span, { name: printVariable(part), field });
  }
}

/** Returns every `$gw_context.…` and `$gw_meta.…` in a value, except in components and scripts inside it. */
export function requestParts(field: FieldNode): readonly RequestPart[] {
  if (field.kind === "Environment" || field.kind === "Template") {
    return field.parts.flatMap((part) => (part.kind === "Request" ? [part] : []));
  }
  return innerFields(field).flatMap(requestParts);
}

/** Reports request variables in a regular expression: their values would be read as a part of the pattern. */
export function reportVariablesInPattern(value: FieldNode, field: string, report: Report): void {
  for (const part of requestParts(value)) report("GW4382", part.span, { name: printVariable(part), field });
}
