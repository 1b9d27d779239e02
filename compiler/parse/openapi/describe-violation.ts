// Reports one violation that the validator found as a diagnostic at the place in question.

import type { Report } from "../../diagnostics/sink.ts";
import { nearest, suggest, suggestStart, suggestType, typeNames } from "../../diagnostics/suggest.ts";
import type { Span } from "../../source/source.ts";
import type { References } from "../../trees/api.ts";
import {
  type DocumentNode,
  describeNode,
  findEntry,
  findNode,
  findText,
  type MapNode,
} from "../../trees/document.ts";
import { escapeKey, unescapeKey } from "../../trees/pointer.ts";
import { findReference } from "../references/locate.ts";
import { kindAt, knownFields } from "./known-fields.ts";
import { adviceOn, belongsBelow } from "./misplaced-fields.ts";
import type { OpenapiVersion } from "./version.ts";
import type { Violation } from "./violations.ts";

/** A document to validate. */
export interface OpenapiDocument {
  readonly root: MapNode;
  readonly version: OpenapiVersion;
  readonly references: References;
  /** Whether it is large and refers to no other file, so that only its own content has to be validated. */
  readonly isSelfContained: boolean;
}

/** A place in the document: the value, its name, and the key that represents it. */
interface Place {
  readonly node: DocumentNode;
  readonly name: string;
  readonly keySpan: Span;
}

/** Reports a violation. */
export function reportViolation(violation: Violation, document: OpenapiDocument, report: Report): void {
  const place = findPlace(violation.instancePath, document);
  // A reference without a target has already been reported.
  if (findReference(place.node) !== undefined && !document.references.resolve(place.node)) return;
  const { keyword, params } = violation;
  const owner = violation.instancePath === "" ? "the document" : `\`${place.name}\``;
  const missing = params.missingProperty;
  const unknown = params.additionalProperty ?? params.unevaluatedProperty;
  if (keyword === "required" && typeof missing === "string") {
    // The rule for the number of entries covers it.
    if (missing === "default" && keysOf(place.node).size === 0) return;
    reportMissing(missing, place, owner, violation, report);
  } else if (typeof unknown === "string") {
    reportUnknown(unknown, place, owner, violation, report);
  } else if (
    (keyword === "oneOf" || keyword === "not") &&
    findEntry(place.node, "bearerFormat") !== undefined
  ) {
    // The schema of OpenAPI 3.0 has one form for `bearer`, and one without the field for other schemes.
    reportUnknown("bearerFormat", place, owner, violation, report);
  } else if (keyword === "type" || isTextForObject(place.node, violation)) {
    const types = keyword === "type" ? [params.type].flat() : ["object"];
    const expected = types.map(nameType).join(" or ");
    const span = spanOfValue(place);
    const isScalar = place.node.kind === "scalar" && place.node.value !== null;
    const written =
      expected === "a string" && isScalar ? span.source.text.slice(span.start, span.end) : undefined;
    const hint = types.length > 1 ? undefined : adviceFor(String(types[0]), place, violation, document);
    report("GW1045", span, { field: place.name, expected, actual: describeNode(place.node), written, hint });
  } else {
    report("GW1046", spanOfValue(place), {
      field: place.name,
      rule: describeRule(violation),
      choices: choicesOf(violation, place.node),
    });
  }
}

/** Reports a missing field, at the field that is misspelt or belongs below it if there is one. */
function reportMissing(
  field: string,
  place: Place,
  owner: string,
  violation: Violation,
  report: Report,
): void {
  if (reportReference(place.node, owner, report)) return;
  const kind = kindAt(violation.instancePath);
  const entries = place.node.kind === "map" ? place.node.entries : [];
  const isForeign = (key: string) => !knownFields(kind).includes(key) && !key.startsWith("x-");
  const misspelt = entries.find(({ key }) => isForeign(key) && nearest(key, [field]).closest === field);
  const displaced = entries.find(({ key }) => belongsBelow(key, kind) === field);
  if (misspelt !== undefined) {
    const { key, keySpan } = misspelt;
    report("GW1044", keySpan, { owner, field: key, ...nearest(key, [field]) });
  } else if (displaced !== undefined) {
    const { key, keySpan } = displaced;
    report("GW1044", keySpan, { owner, field: key, closest: undefined, advice: adviceOn(key, kind) });
  } else report("GW1043", place.keySpan, { owner, field });
}

/** Reports a misspelt `$ref`, with which the object needs no other field. */
function reportReference(node: DocumentNode, owner: string, report: Report): boolean {
  const entries = node.kind === "map" ? node.entries : [];
  const entry = entries.find(
    ({ key, value }) =>
      key !== "$ref" && /^[$_@]?refs?$/i.test(key) && looksLikeReference(findText(value) ?? ""),
  );
  if (entry === undefined) return false;
  const { respelling } = nearest(entry.key, ["$ref"]);
  report("GW1044", entry.keySpan, { owner, field: entry.key, closest: "$ref", respelling });
  return true;
}

function looksLikeReference(text: string): boolean {
  return text.includes("#/") || /^\S+\.(?:ya?ml|json)$/.test(text);
}

/** Whether a text is in the place of an object, which the schema may describe by its forms only. */
function isTextForObject(node: DocumentNode, { keyword, instancePath }: Violation): boolean {
  const isForm = keyword === "oneOf" || keyword === "anyOf" || keyword === "not";
  return isForm && findText(node) !== undefined && kindAt(instancePath) !== "unknown";
}

/** Returns how to write a value of the expected type, if the written one shows what is meant. */
function adviceFor(
  expected: string,
  { node, name }: Place,
  { instancePath }: Violation,
  { root, version, references }: OpenapiDocument,
): string | undefined {
  const text = findText(node);
  const kind = kindAt(instancePath);
  const collection = collections.get(kind);
  if (expected === "object" && text !== undefined && collection !== undefined) {
    const isDeclared = references.find(root, "components", collection, text) !== undefined;
    if (isDeclared) return `Write \`{ "$ref": "#/components/${collection}/${escapeKey(text)}" }\`.`;
  }
  if (kind === "unknown" && name === "required" && node.kind === "scalar" && typeof node.value === "boolean")
    return "List the names of required properties in `required` of their object.";
  if (name === "type" && expected === "string" && node.kind === "list" && version === "3.0") {
    const names = node.items.map((item) => findText(item) ?? "null").filter((each) => each !== "null");
    const [only] = names;
    const isOne = names.length === 1 && node.items.length > 1;
    return isOne ? `In OpenAPI 3.0, write \`type: ${only}\` and \`nullable: true\`.` : undefined;
  }
  const meant = text === undefined ? undefined : meantValue(expected, text, name, kind, instancePath);
  return meant === undefined ? undefined : `Write \`${meant}\`.`;
}

/** Returns the value that a text most likely stands for, as JSON. */
function meantValue(
  expected: string,
  text: string,
  name: string,
  kind: string,
  pointer: string,
): string | undefined {
  const written = JSON.stringify(text);
  if (expected === "boolean") return booleans.get(text.toLowerCase());
  if (expected === "integer") return /^-?\d{1,15}$/.test(text) ? text : undefined;
  if (expected === "number") return /^-?\d{1,15}(?:\.\d+)?$/.test(text) ? text : undefined;
  if (expected === "array" && name === "servers") return `[{ "url": ${written} }]`;
  if (expected === "array" && (name === "required" || name === "tags"))
    return `[${text
      .split(",")
      .map((each) => JSON.stringify(each.trim()))
      .join(", ")}]`;
  if (expected !== "object") return undefined;
  if (looksLikeReference(text)) return `{ "$ref": ${written} }`;
  if (/\/security\/\d+$/.test(pointer)) return `{ ${written}: [] }`;
  if (kind === "schema" && typeNames.includes(text)) return `{ "type": ${written} }`;
  const field = mainFields.get(kind);
  return field === undefined ? undefined : `{ "${field}": ${written} }`;
}

/** The components that can be referred to in place of an object. */
const collections: ReadonlyMap<string, string> = new Map([
  ["schema", "schemas"],
  ["response", "responses"],
  ["parameter", "parameters"],
  ["requestBody", "requestBodies"],
  ["header", "headers"],
  ["example", "examples"],
  ["link", "links"],
]);

const booleans: ReadonlyMap<string, string> = new Map([
  ...["true", "yes", "on"].map((word) => [word, "true"] as const),
  ...["false", "no", "off"].map((word) => [word, "false"] as const),
]);

/** The fields that a text in place of an object most likely stands for. */
const mainFields: ReadonlyMap<string, string> = new Map([
  ["response", "description"],
  ["server", "url"],
  ["tag", "name"],
]);

function reportUnknown(
  field: string,
  place: Place,
  owner: string,
  violation: Violation,
  report: Report,
): void {
  if (reportReference(place.node, owner, report)) return;
  const span = findEntry(place.node, field)?.keySpan ?? place.keySpan;
  const kind = kindAt(violation.instancePath);
  const rule = keyRules[kind];
  const scheme = field === "bearerFormat" ? findNode(place.node, "scheme") : undefined;
  const written = findText(scheme);
  // The schema of OpenAPI 3.1 compares the name of the scheme with its case, which HTTP ignores.
  if (written?.toLowerCase() === "bearer") return;
  if (scheme !== undefined && written !== undefined && suggestStart(written, ["bearer"]) !== undefined) {
    // The field belongs to the scheme that was meant.
    report("GW4200", scheme.span, { scheme: place.name, written, closest: "bearer" });
  } else if (rule !== undefined) {
    const closest = suggest(field, kind === "responses" ? ["default"] : []);
    report("GW1046", span, { field, rule, choices: closest === undefined ? [] : [closest] });
  } else {
    // A field of another version of OpenAPI is not a misspelling.
    const known = knownFields(kind);
    const advice = adviceOn(field, kind);
    const meant =
      known.includes(field) || advice !== undefined
        ? { closest: undefined, advice }
        : nearest(field, known, keysOf(place.node));
    report("GW1044", span, { owner, field, ...meant });
  }
}

/** The keys of objects, which may have tens of thousands of unknown ones. */
const knownKeys = new WeakMap<DocumentNode, ReadonlySet<string>>();

function keysOf(node: DocumentNode): ReadonlySet<string> {
  const known = knownKeys.get(node);
  const keys = known ?? new Set(node.kind === "map" ? node.entries.map(({ key }) => key) : []);
  if (known === undefined) knownKeys.set(node, keys);
  return keys;
}

/** Objects whose keys are not fixed fields but have to follow a pattern. */
const keyRules: Readonly<Record<string, string>> = {
  paths: "must start with `/`",
  responses: "must be a status such as `200` or `4XX`, or `default`",
};

function describeRule({ keyword, params }: Violation): string {
  const limit = String(params.limit);
  switch (keyword) {
    case "enum":
    case "const":
      return "must be one of the allowed values";
    case "pattern":
      return `must match \`${params.pattern}\``;
    case "format":
      return `must have the format \`${params.format}\``;
    case "minProperties":
    case "minItems":
      return `must have at least ${limit} ${limit === "1" ? "entry" : "entries"}`;
    case "maxProperties":
    case "maxItems":
      return `must have at most ${limit} ${limit === "1" ? "entry" : "entries"}`;
    case "minLength":
      return "is too short";
    case "uniqueItems":
      return "must not contain a value twice";
    case "not":
      return "must not combine fields that exclude each other";
    case "oneOf":
      return params.passingSchemas
        ? "must not combine fields that exclude each other"
        : "has none of the permitted forms";
    case "dependentRequired":
      return `also requires \`${params.missingProperty}\``;
    default:
      return "has none of the permitted forms";
  }
}

function choicesOf({ keyword, params, instancePath }: Violation, node: DocumentNode): readonly string[] {
  const choices: unknown = keyword === "const" ? [params.allowedValue] : params.allowedValues;
  const isType =
    instancePath.endsWith("/type") && kindAt(instancePath.slice(0, -"/type".length)) === "schema";
  const type = isType ? suggestType(findText(node) ?? "") : undefined;
  if (type !== undefined && Array.isArray(choices) && choices.includes(type)) return [type];
  return Array.isArray(choices) ? choices.map(String) : [];
}

const typePhrases: Readonly<Record<string, string>> = {
  string: "a string",
  object: "an object",
  array: "an array",
  integer: "an integer",
  number: "a number",
  boolean: "a boolean",
  null: "null",
};

function nameType(type: unknown): string {
  return typePhrases[String(type)] ?? String(type);
}

/** Returns the span of a scalar value, or of the key for all other values. */
function spanOfValue({ node, keySpan }: Place): Span {
  return node.kind === "scalar" && node.span.end > node.span.start ? node.span : keySpan;
}

/** Follows a JSON pointer through the document and into the files that its references lead to. */
function findPlace(pointer: string, { root, references }: OpenapiDocument): Place {
  let place: Place = { node: root, name: "", keySpan: findEntry(root, "openapi")?.keySpan ?? root.span };
  for (const part of pointer.split("/").slice(1)) {
    const key = unescapeKey(part);
    place = enter(place, key, references) ?? place;
  }
  const node = references.resolve(place.node) ?? place.node;
  return { ...place, node };
}

function enter(place: Place, key: string, references: References): Place | undefined {
  for (const node of [place.node, references.resolve(place.node)]) {
    if (node?.kind === "list") {
      const item = node.items[Number(key)];
      if (item === undefined) continue;
      const keySpan = item.kind === "map" ? (item.entries[0]?.keySpan ?? item.span) : item.span;
      return { node: item, name: `${place.name}[${key}]`, keySpan };
    }
    const entry = findEntry(node, key);
    if (entry !== undefined) return { node: entry.value, name: key, keySpan: entry.keySpan };
  }
  return undefined;
}
