// Rules about references of JSON Schemas other than `$ref`, the names that schemas define, and keywords that OpenAPI
// adds in the version of the document. With a reference without a target, values would be validated against nothing, or
// against the wrong schema. Nothing is fetched.

import type { DiagnosticDetails } from "../../../diagnostics/catalogue.ts";
import { type Report, watchReports } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import { componentsOf } from "../../../model/components.ts";
import { jsonOf } from "../../../model/operation-parts.ts";
import { collectRoutes } from "../../../model/routes.ts";
import { isReference, SchemaModel } from "../../../model/schema-model.ts";
import { entriesOf } from "../../../model/written.ts";
import { firstIndex } from "../../../source/sorted.ts";
import { isLong, offsetsOf, type SourceFile } from "../../../source/source.ts";
import {
  type DocumentNode,
  findEntry,
  findNode,
  findText,
  type Json,
  type JsonObject,
  type MapNode,
} from "../../../trees/document.ts";
import { textHolds, wholeTextOf } from "../../../trees/document-text.ts";
import { dynamicTargets } from "../../../trees/dynamic-references.ts";
import { parseReference } from "../../../trees/pointer.ts";
import { findDeclaredSchemas } from "../../flow/declared-schemas.ts";
import { isDialect, isMisspeltFormat } from "../../schema-texts.ts";
import { checkDiscriminator } from "./discriminators.ts";
import { checkRepeated } from "./message-schemas.ts";
import { schemasOf } from "./request-validation.ts";

/** The OpenAPI keywords that are checked. A text search for them decides whether its schemas are traversed. */
const openapiKeywords: readonly string[] = [
  ...["nullable", "discriminator", "exclusiveMinimum", "exclusiveMaximum"],
];

/** Reports OpenAPI keywords without an effect in one schema, but not in the schemas inside it. */
function checkOpenapiKeywords(schema: MapNode, api: ApiModel, report: Report): void {
  if (api.openapi === "3.1" || api.openapi === "3.2") {
    checkNullable(schema, api.openapi, report);
    checkExclusive(schema, api, report);
  }
  // A mapping in another file refers to the schemas of that file.
  if (api.openapi !== undefined && schema.span.source.file === api.root.span.source.file)
    checkDiscriminator(schema, api, report);
}

/** Reports `nullable`: OpenAPI 3.1 replaced it by a list of types. */
function checkNullable(schema: MapNode, version: string, report: Report): void {
  const { nullable, types: all } = new SchemaModel(schema);
  if (nullable === undefined) return;
  const types = all.filter((name) => name !== "");
  if (!types.includes("null")) report("GW4094", nullable.keySpan, { version, types });
}

/** Reports the flags of OpenAPI 3.0 beside bounds, which are numbers of their own since OpenAPI 3.1. */
function checkExclusive(schema: MapNode, { root }: ApiModel, report: Report): void {
  const { hasDialect, exclusiveFlags } = new SchemaModel(schema);
  if (schema.span.source.file !== root.span.source.file || hasDialect) return;
  for (const { key: keyword, value } of exclusiveFlags)
    report("GW4291", value.span, { keyword, expected: "a number", closest: undefined });
}

/** Keywords whose values are data and contain no schemas. */
const data: ReadonlySet<string> = new Set(["enum", "const", "default", "example", "examples"]);
/** Keywords whose values are maps from the author's own names to schemas. */
const maps: ReadonlySet<string> = new Set([
  ...["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"],
]);

/** Matches the keywords that are checked. Most documents have none, so their large schemas need not be traversed. */
const checked = new RegExp(
  `\\$(?:dynamicRef|recursiveRef|schema|id)\\b|\\b(?:${openapiKeywords.join("|")})\\b`,
);

/** Reports invalid references and names in the schemas that validate messages and requests. */
export function checkSchemaReferences(api: ApiModel, report: Report): void {
  checkDialectOfDocument(api, report);
  if (api.references.isWithinDocument && !textHolds(api.root, checked)) return;
  const schemas = reachable(rootsOf(api), api);
  const ids = new Map<string, MapNode>();
  for (const schema of schemas) {
    checkDynamic(schema, api, report);
    checkRecursive(schema, report);
    checkDialect(schema, report);
    checkId(schema, ids, report);
    checkOpenapiKeywords(schema, api, report);
  }
}

function rootsOf(api: ApiModel): readonly DocumentNode[] {
  const ofRequests = api.requestValidation.operations.flatMap((operation) => schemasOf(operation, api));
  return [...schemasOfStreams(api), ...ofRequests, ...describedSchemas(api)];
}

/** The schemas of the messages of streams by API: two rules read them. */
const knownOfStreams = new WeakMap<ApiModel, readonly DocumentNode[]>();

function schemasOfStreams(api: ApiModel): readonly DocumentNode[] {
  const known = knownOfStreams.get(api);
  if (known !== undefined) return known;
  const routes = Map.groupBy(collectRoutes(api), ({ stream }) => stream);
  const found = api.streams.flatMap((stream) => [
    ...findDeclaredSchemas(stream, api, routes.get(stream) ?? []).values(),
  ]);
  knownOfStreams.set(api, found);
  return found;
}

/** Returns schemas, the schemas in them and those behind their `$ref`, each once. */
function reachable(roots: readonly DocumentNode[], { references }: ApiModel): ReadonlySet<MapNode> {
  const found = new Set<MapNode>();
  const pending = [...roots];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (at.kind === "list") for (const item of at.items) pending.push(item);
    if (at.kind !== "map" || found.has(at)) continue;
    found.add(at);
    const target = references.follow(at);
    if (target !== undefined) pending.push(target);
    for (const { key, value } of at.entries) {
      if (maps.has(key) && value.kind === "map") for (const each of value.entries) pending.push(each.value);
      else if (!data.has(key) && !maps.has(key)) pending.push(value);
    }
  }
  return found;
}

function checkDynamic(schema: MapNode, api: ApiModel, report: Report): void {
  const { text: reference, span } = new SchemaModel(schema).dynamicReference ?? {};
  if (reference === undefined || span === undefined) return;
  const { length } = dynamicTargets(schema, api);
  if (length === 1) return;
  const leadsTo = length === 0 ? "no schema" : "several schemas";
  report("GW4356", span, { keyword: "$dynamicRef", reference, leadsTo });
}

/** Reports any `$recursiveRef` other than `#` (JSON Schema 2019-09, section 8.2.4.2.1). */
function checkRecursive(schema: MapNode, report: Report): void {
  const { text: reference, span } = new SchemaModel(schema).recursiveReference ?? {};
  if (reference === undefined || span === undefined || reference === "#") return;
  report("GW4356", span, { keyword: "$recursiveRef", reference, leadsTo: "no schema" });
}

function checkDialect(schema: MapNode, report: Report): void {
  const { text: dialect, span } = new SchemaModel(schema).dialect ?? {};
  if (dialect !== undefined && span !== undefined && !isDialect(dialect)) report("GW4357", span, { dialect });
}

/** Reports a dialect of the document's schemas that looks like a published one. Others are the author's own. */
function checkDialectOfDocument({ description: { dialect: written } }: ApiModel, report: Report): void {
  const dialect = findText(written);
  if (written === undefined || dialect === undefined || isDialect(dialect)) return;
  if (/^https?:\/\/(?:json-schema\.org\/draft|spec\.openapis\.org\/oas)\//.test(dialect))
    report("GW4357", written.span, { dialect, isOfDocument: true });
}

/** Reports two schemas with one name: a reference to it could mean either. */
function checkId(schema: MapNode, known: Map<string, MapNode>, report: Report): void {
  const { text: id, span } = new SchemaModel(schema).id ?? {};
  if (id === undefined || span === undefined) return;
  const other = known.get(id);
  if (other === undefined) known.set(id, schema);
  else report("GW4358", span, { id }, { span: other.span, message: "The other one is here." });
}

/** Reports invalid JSON Schema in the schemas that define message types, each once. */
export function checkServedSchemas(api: ApiModel, report: Report): void {
  const beside = api.streams.flatMap((stream) => componentsOf(stream).map(({ schema }) => schema));
  // Schemas of components were checked with the components; only the schemas that they refer to remain.
  const given: ReadonlySet<DocumentNode> = new Set(beside.filter((schema) => schema !== undefined));
  const seen = new Set(given);
  const soundTexts = new Set<string>();
  const settled = settledSchemas(api);
  const watched = watchReports(report);
  let isSettled = true;
  const cover = createCover(seen);
  let isDescribed = false;
  const waiting = [...seen];
  for (const schema of schemasOfStreams(api)) visit(schema);
  follow();
  // What the gateway does not read only describes the API to others.
  isDescribed = true;
  for (const schema of describedSchemas(api)) visit(schema);
  follow();
  if (isSettled && !watched.hasReported())
    for (const schema of seen) if (!given.has(schema)) settled?.add(schema);

  function follow(): void {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const components = componentsUnder(next, api.schemasNode);
      for (const component of components ?? []) {
        isSettled &&= settled !== undefined && !given.has(component);
        visit(component);
      }
      if (components !== undefined) continue;
      for (const reference of referencesIn(next)) {
        const target = api.references.resolve(reference);
        isSettled &&= settled !== undefined && leadsToComponent(reference, target, api);
        if (target === undefined || target === reference) continue;
        isSettled &&= !given.has(target);
        visit(target);
      }
    }
  }

  function visit(schema: DocumentNode | undefined): void {
    if (schema === undefined || seen.has(schema) || settled?.has(schema)) return;
    seen.add(schema);
    waiting.push(schema);
    // The schemas in it are checked with it.
    if (sound.has(schema)) return;
    if (!cover(schema)) return;
    const own = isDescribed ? describing(watched.report) : watched.report;
    checkOnce(schema, soundTexts, isHeldByOpenapi(schema, api) ? onlyMeaning(own) : own);
  }
}

/**
 * Cache by the `components` of long documents: schemas without mistakes that lead, directly and indirectly, only to
 * components without mistakes. An editor checks again after each change of another part of the document.
 */
const settledIn = new WeakMap<DocumentNode, Map<ApiModel["openapi"], WeakSet<DocumentNode>>>();

function settledSchemas({ components, openapi, file }: ApiModel): WeakSet<DocumentNode> | undefined {
  if (components === undefined || !isLong(file)) return undefined;
  const byVersion = settledIn.get(components) ?? new Map<ApiModel["openapi"], WeakSet<DocumentNode>>();
  settledIn.set(components, byVersion);
  const settled = byVersion.get(openapi) ?? new WeakSet();
  byVersion.set(openapi, settled);
  return settled;
}

/**
 * Returns the schemas among `named`, those of components, to which a schema refers, without reading it; `undefined` if its
 * value is not at hand, or if it may refer to something else, or to nothing, which is reported when its references are
 * followed.
 */
function componentsUnder(
  schema: DocumentNode,
  named: DocumentNode | undefined,
): readonly DocumentNode[] | undefined {
  const json = schema.span.source.file === named?.span.source.file ? jsonOf(schema) : undefined;
  if (json === undefined) return undefined;
  const targets: DocumentNode[] = [];
  return visit(json) ? targets : undefined;

  function visit(value: Json | undefined): boolean {
    if (typeof value !== "object" || value === null) return true;
    if (Array.isArray(value)) return value.every(visit);
    // A list of the entries would take five times as long.
    const object: JsonObject = value as JsonObject;
    for (const key in object) {
      const below = object[key];
      if (key !== "$ref") {
        if (!visit(below)) return false;
        continue;
      }
      const name = typeof below === "string" ? toSchema.exec(below)?.[1] : undefined;
      const target = name === undefined ? undefined : findEntry(named, name)?.value;
      if (target === undefined || isReference(target)) return false;
      targets.push(target);
    }
    return true;
  }
}

/** Matches references to schemas of components whose names need no escapes. */
const toSchema = /^#\/components\/schemas\/([^/~%]+)$/;

/** Whether only a change of the components can change the target of a reference. */
function leadsToComponent(reference: MapNode, target: DocumentNode | undefined, { root }: ApiModel): boolean {
  if (target === undefined || reference.span.source.file !== root.span.source.file) return false;
  const parsed = parseReference(new SchemaModel(reference).reference?.text ?? "");
  if (parsed.kind !== "place" || parsed.path !== undefined || typeof parsed.place === "string") return false;
  return parsed.place[0] === "components" && findNode(root, ...parsed.place) === target;
}

/**
 * Returns the schemas of the OpenAPI document, whether the gateway reads them or only describes them to others; none of
 * a long document, whose parameters request validation checks.
 */
function describedSchemas({ file, root, namedSchemas }: ApiModel): readonly DocumentNode[] {
  if (isLong(file)) return [];
  const own = namedSchemas.map(({ value }) => value);
  const parts = ["paths", "webhooks", "components"].flatMap((part) => findNode(root, part) ?? []);
  return [...own, ...parts.flatMap(schemasIn)];
}

/** Returns the values of `schema` in a part of a document. */
const schemasIn = collectedOnce<DocumentNode>(function visit(node, found) {
  if (node.kind === "list") for (const item of node.items) visit(item, found);
  for (const { key, value } of entriesOf(node)) {
    if (key === "schema") found.push(value);
    else if (!data.has(key) && !key.startsWith("x-") && key !== "schemas") visit(value, found);
  }
});

/**
 * Returns a function that remembers a node, and returns whether it was inside no other one. A long chain of references is not
 * compared pair by pair.
 */
function createCover(first: Iterable<DocumentNode>): (node: DocumentNode) => boolean {
  /** The outermost nodes of each file, ordered by start; none is inside another. */
  const byFile = new Map<SourceFile, DocumentNode[]>();
  const outermost = ({ span }: DocumentNode): DocumentNode[] => {
    const { file } = span.source;
    const nodes = byFile.get(file) ?? [];
    if (nodes.length === 0) byFile.set(file, nodes);
    return nodes;
  };
  const cover = (node: DocumentNode): boolean => {
    const nodes = outermost(node);
    const { start, end } = offsetsOf(node.span);
    const before = countBefore(nodes, start + 1);
    const around = nodes[before - 1];
    if (around !== undefined && isWithin(node, around)) return false;
    const at = around !== undefined && offsetsOf(around.span).start === start ? before - 1 : before;
    nodes.splice(at, countBefore(nodes, end) - at, node);
    return true;
  };
  for (const node of first) cover(node);
  return cover;
}

/** Returns how many of the ordered nodes begin before an offset. */
function countBefore(nodes: readonly DocumentNode[], offset: number): number {
  return firstIndex(nodes.length, (index) => {
    const node = nodes[index];
    return node === undefined || offsetsOf(node.span).start >= offset;
  });
}

/** Returns the objects with a `$ref` in a node. */
const referencesIn = collectedOnce<MapNode>(function visit(node, found) {
  if (wholeTextOf(node)?.includes("$ref") === false) return;
  if (node.kind === "list") for (const item of node.items) visit(item, found);
  if (node.kind === "map" && isReference(node)) found.push(node);
  for (const { value } of entriesOf(node)) visit(value, found);
});

/**
 * Returns a function that collects parts of a node. It remembers them: an editor checks again after each change of
 * another part of the document.
 */
function collectedOnce<T>(
  visit: (node: DocumentNode, found: T[]) => void,
): (node: DocumentNode) => readonly T[] {
  const none: readonly T[] = [];
  const known = new WeakMap<DocumentNode, readonly T[]>();
  return (node) => {
    const before = known.get(node);
    if (before !== undefined) return before;
    const found: T[] = [];
    visit(node, found);
    known.set(node, found.length === 0 ? none : found);
    return found;
  };
}

/** Schemas that are valid JSON Schema. */
const sound = new WeakSet<DocumentNode>();

/** For a schema that validates nothing, reports what is not valid as a warning. Its pattern may be of another engine. */
function describing(report: Report): Report {
  return (code, span, details, related) => {
    // Formats of other names, such as `url`, mean something to others.
    if (isFormat(details) && !isMisspeltFormat(details.keyword, details.closest)) return;
    if (code !== "GW4092") report(code, span, details, related);
    else if (!isPattern(details)) report("GW4291", span, details as DiagnosticDetails<"GW4092">, related);
  };
}

const onlyMeant: ReadonlySet<string> = new Set([
  ...["GW4084", "GW4093", "GW4098", "GW4132", "GW4292", "GW4293"],
]);

/** For a schema that was validated with its document, reports only mistakes in the author's intent. */
function onlyMeaning(report: Report): Report {
  return (code, span, details, related) => {
    // In a short document, unknown keywords were reported with the fields of OpenAPI.
    const isKnownField = code === "GW4093" && !isLong(span.source.file) && !isFormat(details);
    if (isPattern(details) || (onlyMeant.has(code) && !isKnownField)) report(code, span, details, related);
  };
}

function isPattern(details: unknown): boolean {
  return (
    typeof details === "object" && details !== null && "keyword" in details && details.keyword === "pattern"
  );
}

function isFormat(details: unknown): details is { readonly keyword: string; readonly closest: string } {
  return typeof details === "object" && details !== null && "isFormat" in details;
}

function checkOnce(schema: DocumentNode, soundTexts: Set<string>, report: Report): void {
  if (sound.has(schema)) return;
  const watched = watchReports(report);
  checkRepeated(schema, watched.report, soundTexts);
  if (!watched.hasReported()) sound.add(schema);
}

function isWithin(inner: DocumentNode, outer: DocumentNode): boolean {
  const [a, b] = [offsetsOf(inner.span), offsetsOf(outer.span)];
  return inner.span.source.file === outer.span.source.file && a.start >= b.start && a.end <= b.end;
}

/** Whether the check against OpenAPI validates the schema: OpenAPI 3.0 has a dialect of its own. */
function isHeldByOpenapi(schema: DocumentNode, { openapi, root, streaming }: ApiModel): boolean {
  if (openapi !== "3.0" || schema.span.source.file !== root.span.source.file) return false;
  return streaming === undefined || !isWithin(schema, streaming);
}
