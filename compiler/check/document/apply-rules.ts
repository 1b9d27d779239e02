// Applies all rules to the model of a set and reports what is wrong: the shape of every value, and the meaning of
// values together. Mappings and queries are checked elsewhere.

import { documentSchemas, extensionAliases } from "../../../schemas/catalogue.ts";
import { noMemory, type ResultsMemory } from "../../diagnostics/results-memory.ts";
import type { Report } from "../../diagnostics/sink.ts";
import type { ApiModel } from "../../model/api.ts";
import { componentsOf, declaredApart } from "../../model/components.ts";
import type { SetModel } from "../../model/set.ts";
import { entriesOf } from "../../model/written.ts";
import { spanOf } from "../../source/source.ts";
import type { StreamNode } from "../../trees/api.ts";
import type { Dialect } from "../../trees/dialect.ts";
import { findEntry, findNode, type MapEntry, type MapNode } from "../../trees/document.ts";
import { fieldsOf } from "../../trees/fields.ts";
import { streamInputs } from "../stream-inputs.ts";
import { checkComponent, checkValues } from "./check-component.ts";
import type { Inspections } from "./inspections.ts";
import { checkSurroundings } from "./rules/surroundings.ts";
import { apiRules, setRules, settingsRules, streamRules } from "./rules.ts";
import { checkShape } from "./shape.ts";
import type { Tenant } from "./tenant.ts";

/** The owner of the documents, and the results of earlier checks. */
interface RuleScope {
  readonly tenant?: Tenant | undefined;
  readonly memory?: ResultsMemory | undefined;
}

/**
 * Checks all documents of a set and how they fit together, including the other documents if the set is part of a
 * `whole`. Documents of a `tenant` may read only what that tenant may read.
 */
export function applyRules(
  set: SetModel,
  inspections: Inspections,
  report: Report,
  whole: SetModel,
  { tenant, memory = noMemory }: RuleScope,
): void {
  const place = { dialect: set.dialect, inspections };
  checkSettings(set, inspections, report);
  for (const api of set.apis) {
    checkApi(api, report);
    const inputs = streamInputs(api, whole);
    for (const stream of api.streams)
      memory.recall("rules", stream, inputs, report, (report) => checkStream(stream, api, place, report));
    checkSurroundings(api, tenant, report);
  }
  applySetRules(whole, report);
}

/** Checks only how the documents of a set fit together. */
export function applySetRules(set: SetModel, report: Report): void {
  for (const rule of setRules) rule(set, report);
}

function checkSettings(set: SetModel, inspections: Inspections, report: Report): void {
  const { settings, settingsFile, settingsFields, process, dialect } = set;
  if (settings === undefined) return;
  const start = settingsFile === undefined ? settings.span : spanOf(settingsFile, 0, 0);
  const place = { node: settings, name: "gateway.yaml", nameSpan: start, schema: documentSchemas.gateway };
  checkShape(place, settingsFields, report);
  for (const rule of settingsRules) rule(process, report);
  if (settingsFields === undefined) return;
  checkValues({ ...place, value: settingsFields }, report);
  // The dead letter output of all streams is an output like any other.
  for (const field of fieldsOf({ settingsFields, apis: [] }))
    if (field.kind === "Component") checkComponent(field.component, dialect.components, inspections, report);
}

/** The dialect and the inspections that checks of components need. */
interface ComponentPlace {
  readonly dialect: Dialect;
  readonly inspections: Inspections;
}

function checkApi(api: ApiModel, report: Report): void {
  checkApiShape(api, report);
  if (api.gatewayFields !== undefined) {
    const value = api.gatewayFields;
    const place = { name: "x-gw-api-gateway", nameSpan: value.span, schema: documentSchemas.apiGateway };
    checkValues({ ...place, value }, report);
  }
  for (const rule of apiRules) rule(api, report);
}

function checkStream(
  stream: StreamNode,
  api: ApiModel,
  { dialect, inspections }: ComponentPlace,
  report: Report,
): void {
  for (const component of [...componentsOf(stream), ...declaredApart(stream)])
    checkComponent(component, dialect.components, inspections, report);
  for (const rule of streamRules) rule(stream, api, report);
}

/** Checks the extensions of an OpenAPI document, or a whole stream document without OpenAPI. */
function checkApiShape(api: ApiModel, report: Report): void {
  const { root, gateway, gatewayFields, streaming, openapi } = api;
  const gatewayEntry = findExtension(root, "x-gw-api-gateway");
  if (gatewayEntry !== undefined && gateway !== undefined) {
    const place = placeOf(gatewayEntry, gateway);
    checkShape({ ...place, schema: documentSchemas.apiGateway }, gatewayFields, report);
  }
  if (openapi === undefined) {
    checkBareStream(api, report);
    return;
  }
  const streamingEntry = findExtension(root, "x-gw-streaming");
  if (streamingEntry === undefined || streaming === undefined) return;
  const place = placeOf(streamingEntry, streaming);
  const streams = api.streamsNode;
  const astray = streams?.kind === "map" ? findPartsAstray(streams) : [];
  const rest: Report = (code, span, details, related) => {
    const { source, start } = span;
    const isFollowing = astray.some(({ part, stream }) =>
      code === "GW4011"
        ? span === stream.keySpan || span === part.keySpan
        : source === part.keySpan.source && start >= part.keySpan.start && start < part.value.span.end,
    );
    if (!isFollowing) report(code, span, details, related);
  };
  for (const { part, stream } of astray)
    report("GW4099", part.keySpan, { part: part.key, stream: stream.key });
  checkShape({ ...place, schema: documentSchemas.streaming }, undefined, astray.length > 0 ? rest : report);
}

/**
 * Returns parts of a stream that are indented like a stream of their own, each with the stream before it that lacks
 * them.
 */
function findPartsAstray({ entries }: MapNode): readonly { part: MapEntry; stream: MapEntry }[] {
  const has = ({ value }: MapEntry, key: string) => findNode(value, key) !== undefined;
  return entries.flatMap((part, index) => {
    const stream = entries[index - 1];
    if (stream?.value.kind !== "map" || part.value.kind !== "map" || !streamParts.has(part.key)) return [];
    return has(part, "input") || has(part, "output") || has(stream, part.key) ? [] : [{ part, stream }];
  });
}

const streamParts: ReadonlySet<string> = new Set(["input", "output", "pipeline"]);

/** Returns the place of a value: the key as the document has it, the value with its references resolved. */
function placeOf({ key, keySpan }: MapEntry, node: MapNode) {
  return { node, name: key, nameSpan: keySpan };
}

/** A document without OpenAPI may contain extensions (`x-…`) too; they are not fields of the stream. */
function checkBareStream({ root, file, streamsNode }: ApiModel, report: Report): void {
  const stream = entriesOf(streamsNode)[0]?.value ?? root;
  if (stream.kind !== "map") return;
  const node = { ...stream, entries: stream.entries.filter(({ key }) => !key.startsWith("x-")) };
  const nameSpan = stream.entries[0]?.keySpan ?? spanOf(file, 0, 0);
  checkShape({ node, name: "stream", nameSpan, schema: documentSchemas.stream }, undefined, report);
}

function findExtension(root: MapNode, name: keyof typeof extensionAliases): MapEntry | undefined {
  return findEntry(root, name) ?? findEntry(root, extensionAliases[name]);
}
