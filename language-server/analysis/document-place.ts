// A place in a document with the schema of its value, the component that belongs there, or the field.

import { testedFile } from "../../compiler/parse/document/paths.ts";
import { isAnchored } from "../../compiler/parse/yaml/parse-yaml.ts";
import { offsetsOf, type Span } from "../../compiler/source/source.ts";
import { type DocumentNode, findEntry, type MapEntry, type MapNode } from "../../compiler/trees/document.ts";
import {
  besideSchema,
  type ComponentCatalogue,
  documentSchemas,
  extensionAliases,
  referenceSchema,
} from "../../schemas/catalogue.ts";
import type { Component, ComponentRole } from "../../schemas/component.ts";
import type { Schema } from "../../schemas/schema.ts";
import { isSettingsName } from "../workspace/find-sets.ts";
import { openapiFields } from "./openapi-schema.ts";

/** A place in a document and its schema. */
export interface DocumentPlace {
  /** The keys and indexes from the root; the last one is that of the place itself. */
  readonly path: readonly (string | number)[];
  /** The schema of the value; absent if the place has none, as in the OpenAPI part. */
  readonly schema: Schema | undefined;
  /** The component whose configuration contains the place, or whose name is at the place. */
  readonly component?: Component;
  /** The value, and its entry if it has a key. */
  readonly node: DocumentNode;
  readonly entry?: MapEntry;
  /** The enclosing object or list. */
  readonly parent?: DocumentPlace;
}

/** Returns the place of the whole document. */
function rootPlace(node: DocumentNode): DocumentPlace {
  return { path: [], schema: rootSchema(node), node };
}

/**
 * As `rootPlace`, with only the extensions of an OpenAPI document: large descriptions are then not searched
 * completely.
 */
export function ownPlace(node: DocumentNode): DocumentPlace {
  const schema = rootSchema(node);
  return { path: [], schema: schema === openapiSchema ? ownSchema : schema, node };
}

function rootSchema(root: DocumentNode): Schema | undefined {
  if (findEntry(root, "openapi") !== undefined) return openapiSchema;
  const { path } = root.span.source.file;
  // The settings of a set need not begin with their documents.
  if (findEntry(root, "apis") !== undefined || isSettingsName(path)) return documentSchemas.gateway;
  if ([...keysOf(root)].some((key) => ofStreams.has(key))) return bareSchema;
  return testedFile(path) === path ? bareOrOpenapi : testsSchema;
}

const extensions: Readonly<Record<string, Schema>> = {
  "x-gw-streaming": documentSchemas.streaming,
  [extensionAliases["x-gw-streaming"]]: documentSchemas.streaming,
  "x-gw-api-gateway": documentSchemas.apiGateway,
  [extensionAliases["x-gw-api-gateway"]]: documentSchemas.apiGateway,
};

const tests = { tests: documentSchemas.unitTests, "x-tests": documentSchemas.unitTests };

const openapiSchema: Schema = {
  properties: { ...openapiFields, ...extensions, "x-tests": documentSchemas.unitTests },
};

const ownSchema: Schema = { properties: extensions };

/** Keys that only bare streams have at the top level. */
const ofStreams: ReadonlySet<string> = new Set(["input", "pipeline", "output"]);

const bareSchema: Schema = { properties: { ...documentSchemas.stream.properties, ...tests } };

/** The schema of a document that by its name contains only unit tests. */
const testsSchema: Schema = { properties: { tests: documentSchemas.unitTests } };

/** The schema of a document that may still become a bare stream or an OpenAPI document. */
const bareOrOpenapi: Schema = {
  properties: {
    openapi: openapiFields.openapi ?? {},
    ...documentSchemas.stream.properties,
    ...extensions,
    ...tests,
  },
};

/**
 * Returns the innermost place whose key or value begins at or before `offset` in the file. What an anchor marks where no
 * schema is known, as in `x-common`, has the place of its first alias.
 */
export function placeAt(root: DocumentNode, offset: number, components: ComponentCatalogue): DocumentPlace {
  const place = innermost(rootPlace(root), offset, components);
  if (place.schema !== undefined || !isAnchored(root)) return place;
  const repeated = placeOfAlias(ownPlace(root), offset, components, new Set());
  return repeated === undefined ? place : innermost(repeated, offset, components);
}

function innermost(from: DocumentPlace, offset: number, components: ComponentCatalogue): DocumentPlace {
  let at = from;
  for (;;) {
    const next = childAt(at, offset, components);
    if (next === undefined) return at;
    at = next;
  }
}

/** Returns the place with a schema where the content at `offset` is repeated by an alias or a merge. */
function placeOfAlias(
  at: DocumentPlace,
  offset: number,
  components: ComponentCatalogue,
  seen: Set<DocumentNode>,
): DocumentPlace | undefined {
  const { node } = at;
  if (at.schema === undefined || node.kind === "scalar" || seen.has(node)) return undefined;
  seen.add(node);
  const own = offsetsOf(node.span);
  const isWithin = (span: Span) => offsetsOf(span).start >= own.start && offsetsOf(span).end <= own.end;
  const children =
    node.kind === "map"
      ? node.entries.map((entry) => entryPlace(at, entry, components))
      : node.items.map((item, index) => itemPlace(at, item, index));
  for (const child of children) {
    const { entry, ...content } = child;
    const isMerged = entry !== undefined && !isWithin(entry.keySpan);
    const { start, end } = offsetsOf(child.node.span);
    const from = isMerged ? offsetsOf(entry.keySpan).start : start;
    const isElsewhere = isMerged || !isWithin(child.node.span);
    // The places inside of an alias do not begin behind its key.
    // A merged key may have no schema because it is only half written.
    const isKnown = isMerged || child.schema !== undefined;
    if (isElsewhere && isKnown && from <= offset && offset <= end) return isMerged ? child : content;
    const found = placeOfAlias(child, offset, components, seen);
    if (found !== undefined) return found;
  }
  return undefined;
}

function childAt(
  at: DocumentPlace,
  offset: number,
  components: ComponentCatalogue,
): DocumentPlace | undefined {
  const { node } = at;
  // The content of an alias, including merged entries, has its source range elsewhere, before the alias.
  const first = at.entry === undefined ? 0 : offsetsOf(at.entry.keySpan).start;
  const isHere = (span: Span) => offsetsOf(span).start >= first && offsetsOf(span).start <= offset;
  if (node.kind === "map") {
    let entry: MapEntry | undefined;
    for (const each of node.entries)
      if (isHere(each.keySpan) && (entry === undefined || startOf(entry) < startOf(each))) entry = each;
    return entry && entryPlace(at, entry, components);
  }
  if (node.kind !== "list") return undefined;
  const index = node.items.findLastIndex(({ span }) => isHere(span));
  const item = node.items[index];
  return item && itemPlace(at, item, index);
}

function itemPlace(at: DocumentPlace, item: DocumentNode, index: number): DocumentPlace {
  return { path: [...at.path, index], node: item, parent: at, ...itemSchema(at) };
}

function startOf({ keySpan }: MapEntry): number {
  return offsetsOf(keySpan).start;
}

/** Returns the place of an entry of an object. */
export function entryPlace(
  parent: DocumentPlace,
  entry: MapEntry,
  components: ComponentCatalogue,
): DocumentPlace {
  const path = [...parent.path, entry.key];
  return { path, node: entry.value, entry, parent, ...fieldSchema(parent, entry.key, components) };
}

type Described = Pick<DocumentPlace, "schema" | "component">;

function itemSchema({ schema, component }: DocumentPlace): Described {
  const shorthand = schema?.["x-shorthand"];
  const list = shorthand === undefined ? schema : schema?.properties?.[shorthand];
  return { schema: list?.items, ...(component && { component }) };
}

/** Returns the schema and the component of the value of a key. */
function fieldSchema(
  { schema, component }: DocumentPlace,
  key: string,
  components: ComponentCatalogue,
): Described {
  const role = schema?.["x-component"];
  if (role !== undefined) {
    const named = components.find(role, key);
    if (named !== undefined) return { schema: named.schema, component: named };
    return { schema: key === "resource" ? referenceSchema : besideSchema(role).properties?.[key] };
  }
  const own = Object.hasOwn(schema?.properties ?? {}, key) ? schema?.properties?.[key] : undefined;
  const others = schema?.additionalProperties;
  return {
    schema: own ?? (typeof others === "object" ? others : undefined),
    ...(component && { component }),
  };
}

/** Returns the role of the component that belongs at a place. */
export function roleAt({ schema }: DocumentPlace): ComponentRole | undefined {
  return schema?.["x-component"];
}

/** Returns the keys of an object. */
export function keysOf(node: DocumentNode): ReadonlySet<string> {
  return new Set(node.kind === "map" ? (node as MapNode).entries.map(({ key }) => key) : []);
}

/** Whether an offset in the file is within the key of a place, rather than its value. */
export function isOnKey({ entry }: DocumentPlace, offset: number): boolean {
  if (entry === undefined) return false;
  const { start, end } = offsetsOf(entry.keySpan);
  return offset >= start && offset <= end;
}
