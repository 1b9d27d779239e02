// Rules about `validateRequest`: the operations that it names must exist, and must be usable for validating requests.

import type { Report } from "../../../diagnostics/sink.ts";
import { suggest } from "../../../diagnostics/suggest.ts";
import type { ApiModel } from "../../../model/api.ts";
import { requestBodyOf, sampledValueOf, schemaIn } from "../../../model/operation-parts.ts";
import { SchemaModel } from "../../../model/schema-model.ts";
import { bodyFormatOf, mediaTypeOf, type OperationToValidate } from "../../../model/validated-operations.ts";
import { entriesOf } from "../../../model/written.ts";
import { type DocumentNode, findEntry, findText } from "../../../trees/document.ts";
import { propertyMeant, whyNotLinear } from "../../regexp.ts";
import { checkSchema, isRegularExpression } from "./message-schemas.ts";

/** Reports ids without an operation, and parts of validated operations that cannot be used for validation. */
export function checkRequestValidation(api: ApiModel, report: Report): void {
  checkNames(api, report);
  checkSchemas(api, report);
  const met = new Set<DocumentNode>();
  // One operation may belong to two paths.
  const operations = new Map(api.requestValidation.operations.map((each) => [each.node, each]));
  for (const operation of operations.values()) {
    checkPath(operation, report);
    for (const schema of schemasOf(operation, api)) checkWithin(schema, api, met, report);
  }
}

function checkNames(api: ApiModel, report: Report): void {
  const { named } = api.requestValidation;
  if (named.length === 0) return;
  const operations = api.paths.flatMap((path) => [...path.operations().values()]);
  const ids = operations.flatMap((operation) => operation.id() ?? []);
  const unread = unreadIds(api);
  const hasBroken = entriesOf(api.pathsNode).some(({ value }) => api.references.resolve(value) === undefined);
  for (const { id, span } of named) {
    if (ids.includes(id) || unread.has(id)) continue;
    const closest = suggest(id, ids);
    // The path of a broken reference, which is reported, may have the operation.
    if (closest !== undefined || !hasBroken) report("GW4230", span, { id, closest });
  }
}

/** Returns the ids of operations that are not read because of a misspelt key, which is reported. */
function unreadIds({ pathsNode }: ApiModel): ReadonlySet<string> {
  const items = entriesOf(pathsNode).flatMap(({ value }) => entriesOf(value));
  const found = items.flatMap(({ value }) =>
    entriesOf(value).flatMap((entry) =>
      suggest(entry.key, ["operationId"]) === undefined ? [] : (findText(entry.value) ?? []),
    ),
  );
  return new Set(found);
}

/** Reports blocks that validate nothing, since their operations declare nothing that requests could violate. */
function checkSchemas(api: ApiModel, report: Report): void {
  const { forAll, named, operations } = api.requestValidation;
  const isBare = (operation: OperationToValidate) =>
    operation.parameters.length === 0 && !mayHaveSchema(operation, api);
  for (const { id, span } of named) {
    const own = operations.filter(({ name }) => name === id);
    if (own.length > 0 && own.every(isBare)) report("GW4234", span, { operation: id });
  }
  // Documents without operations declare nothing anyway.
  const isVain = operations.length > 0 && operations.every(isBare);
  if (forAll !== undefined && isVain) report("GW4234", forAll.span, { operation: undefined });
}

/** Whether a schema is declared for bodies that the gateway reads, also by a reference without a target. */
function mayHaveSchema({ node }: OperationToValidate, { references }: ApiModel): boolean {
  const body = requestBodyOf(node, references);
  if (body?.isMissing === true) return true;
  return entriesOf(body?.content).some(({ key, value }) => {
    const target = bodyFormatOf(mediaTypeOf(key)) && references.resolve(value);
    return target !== undefined && sampledValueOf(target, references).schema !== undefined;
  });
}

function checkPath({ path, verbSpan }: OperationToValidate, report: Report): void {
  const segment = path.split("/").find((each) => each.includes("{") && !/^\{[^{}]+\}$/.test(each));
  if (segment !== undefined) report("GW4232", verbSpan, { segment });
}

/** Returns the schemas of an operation's parameters and bodies. */
export function schemasOf(
  { parameters, node }: OperationToValidate,
  { references }: ApiModel,
): readonly DocumentNode[] {
  const bodies = entriesOf(requestBodyOf(node, references)?.content).map(({ value }) => value);
  const holders = [...parameters.map((parameter) => parameter.node), ...bodies];
  return holders.flatMap((holder) => schemaIn(holder, references) ?? []);
}

const lists = ["allOf", "anyOf", "oneOf", "prefixItems"];
const singles = [
  ...["additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"],
  ...["unevaluatedItems", "unevaluatedProperties"],
];
const maps = ["$defs", "dependentSchemas", "patternProperties", "properties"];

/** Checks a schema, the schemas in it and those behind its references, each once. */
function checkWithin(node: DocumentNode, api: ApiModel, met: Set<DocumentNode>, report: Report): void {
  const schemas = [node];
  for (let schema = schemas.pop(); schema !== undefined; schema = schemas.pop()) {
    if (met.has(schema) || schema.kind !== "map") continue;
    met.add(schema);
    checkSchema(schema, report);
    checkPatterns(schema, report);
    const target = api.references.follow(schema);
    if (target !== undefined) schemas.push(target);
    schemas.push(...childrenOf(schema));
  }
}

function childrenOf(schema: DocumentNode): readonly DocumentNode[] {
  const child = (key: string) => findEntry(schema, key)?.value;
  const inMaps = maps.flatMap((key) => {
    const map = child(key);
    return map?.kind === "map" ? map.entries.map(({ value }) => value) : [];
  });
  const inLists = lists.flatMap((key) => {
    const list = child(key);
    return list?.kind === "list" ? list.items : [];
  });
  return [...inMaps, ...inLists, ...singles.flatMap((key) => child(key) ?? [])];
}

function checkPatterns(schema: DocumentNode, report: Report): void {
  const { pattern, patternProperties } = new SchemaModel(schema);
  if (pattern !== undefined) checkPattern(pattern.text, pattern.span, report);
  for (const { key, keySpan } of patternProperties) checkPattern(key, keySpan, report);
}

function checkPattern(text: string, span: DocumentNode["span"], report: Report): void {
  // An invalid pattern is reported with the schema.
  const reason = isRegularExpression(text) ? whyNotLinear(text) : undefined;
  if (reason === undefined) return;
  const property = propertyMeant(reason);
  report("GW4231", span, { reason: reason.replace(/^error parsing regexp: /, ""), property });
}
