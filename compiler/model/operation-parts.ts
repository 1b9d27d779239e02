// Reads the parts of an operation that several rules need. References in them are resolved.

import type { References } from "../trees/api.ts";
import {
  type DocumentNode,
  findEntry,
  findNode,
  findText,
  type Json,
  type JsonObject,
  type MapEntry,
} from "../trees/document.ts";
import { isRecord } from "../value-types/records.ts";
import { booleanOf, entriesOf, itemsOf } from "./written.ts";

/** Returns its `operationId` as written. */
export function writtenOperationId(operation: DocumentNode): DocumentNode | undefined {
  return findEntry(operation, "operationId")?.value;
}

/** Returns its `operationId`, without reading the operation if its value is at hand. */
export function operationIdOf(operation: DocumentNode): string | undefined {
  const json = jsonOf(operation);
  return json === undefined ? findText(writtenOperationId(operation)) : idIn(json);
}

/** Returns the `operationId` of an operation by its value. */
export function idIn({ operationId }: JsonObject): string | undefined {
  return typeof operationId === "string" ? operationId : undefined;
}

/** Returns its tags. */
export function tagsOf(operation: DocumentNode): readonly DocumentNode[] {
  return itemsOf(findNode(operation, "tags"));
}

/** The body of the requests for an operation. */
export interface RequestBody {
  /** Whether a request without a body is refused. */
  readonly isRequired: boolean;
  /** Whether it is a reference without a target. */
  readonly isMissing: boolean;
  /** The media types that it may have. */
  readonly content: DocumentNode | undefined;
}

/** Returns the body of its requests; `undefined` if none is declared. */
export function requestBodyOf(
  operation: DocumentNode | undefined,
  references: References,
): RequestBody | undefined {
  const written = findEntry(operation, "requestBody")?.value;
  if (written === undefined) return undefined;
  return {
    isMissing: references.resolve(written) === undefined,
    isRequired: booleanOf(references.find(written, "required")) === true,
    content: contentOf(written, references),
  };
}

/** Returns its responses by their status. A response may be a reference. */
export function responsesOf(
  operation: DocumentNode | undefined,
  references: References,
): readonly MapEntry[] {
  return entriesOf(references.find(operation, "responses"));
}

/** Returns the links of a response. */
export function linksOf(response: DocumentNode, references: References): readonly MapEntry[] {
  return entriesOf(references.find(response, "links"));
}

/** Returns the headers of a response. */
export function headersOf(response: DocumentNode | undefined, references: References): readonly MapEntry[] {
  return entriesOf(references.find(response, "headers"));
}

/** Returns the callbacks of an operation. */
export function callbacksOf(operation: DocumentNode, references: References): readonly MapEntry[] {
  return entriesOf(references.find(operation, "callbacks"));
}

/** What a link leads to and passes on. */
export interface WrittenLink {
  readonly operationId: DocumentNode | undefined;
  readonly operationRef: DocumentNode | undefined;
  readonly parameters: readonly MapEntry[];
  readonly requestBody: DocumentNode | undefined;
}

/** Reads a link. */
export function readLink(link: DocumentNode): WrittenLink {
  return {
    operationId: findNode(link, "operationId"),
    operationRef: findNode(link, "operationRef"),
    parameters: entriesOf(findNode(link, "parameters")),
    requestBody: findNode(link, "requestBody"),
  };
}

/** Returns the media types of its request body and its responses, and whether a reference leads to any of them. */
export function contentsOf(
  operation: DocumentNode,
  references: References,
): { readonly contents: readonly DocumentNode[]; readonly isReferring: boolean } {
  let isReferring = false;
  const follow = (node: DocumentNode | undefined) => {
    const target = node && references.resolve(node);
    if (target !== node) isReferring = true;
    return target;
  };
  const contents: DocumentNode[] = [];
  const add = (holder: DocumentNode | undefined) => {
    const content = follow(findNode(follow(holder), "content"));
    if (content !== undefined) contents.push(content);
  };
  const responses = entriesOf(follow(findNode(operation, "responses")));
  add(findNode(operation, "requestBody"));
  for (const { value } of responses) add(value);
  return { contents, isReferring };
}

/** Returns the names of the media types of its request body and its responses; `undefined` if a reference hides some. */
export function writtenTypesOf({ requestBody, responses = {} }: JsonObject): readonly string[] | undefined {
  const types: string[] = [];
  if (requestBody !== undefined && !addTypes(requestBody, types)) return undefined;
  if (!isPlain(responses)) return undefined;
  // A list of the values would take three times as long: statuses are numbers to V8.
  for (const status in responses) if (!addTypes(responses[status], types)) return undefined;
  return types;
}

/** Adds the media types of a body or a response; returns false if a reference hides them. */
function addTypes(holder: Json | undefined, types: string[]): boolean {
  if (!isPlain(holder)) return false;
  const { content = {} } = holder;
  if (!isPlain(content)) return false;
  for (const type in content) types.push(type);
  return true;
}

/** Returns the value of an object without reading it; `undefined` if it is not at hand. */
export function jsonOf(node: DocumentNode | undefined): JsonObject | undefined {
  return node?.kind === "map" ? node.json?.() : undefined;
}

/** Whether a value is an object and no reference. */
export function isPlain(value: Json | undefined): value is JsonObject {
  return isRecord(value) && !Object.hasOwn(value, "$ref");
}

/** Returns the schema of a media type, a parameter or a header, as written: keywords may stand beside its reference. */
export function schemaIn(holder: DocumentNode, references: References): DocumentNode | undefined {
  return findNode(references.resolve(holder), "schema");
}

/** What a media type, a parameter or a header says about its values. */
export interface SampledValue {
  /** Its schema as written. */
  readonly schema: DocumentNode | undefined;
  readonly examples: readonly DocumentNode[];
}

/** Reads a media type, a parameter or a header. */
export function sampledValueOf(holder: DocumentNode, references: References): SampledValue {
  const schema = findNode(holder, "schema");
  // Most nodes have no schema.
  if (schema === undefined) return { schema, examples: [] };
  const example = findNode(holder, "example");
  const named = entriesOf(findNode(holder, "examples"));
  const values = named.flatMap(({ value }) => findNode(references.resolve(value), "value") ?? []);
  return { schema, examples: example === undefined ? values : [example, ...values] };
}

/** Returns the media types of a request body or a response. */
export function contentOf(
  holder: DocumentNode | undefined,
  references: References,
): DocumentNode | undefined {
  return references.find(holder, "content");
}
