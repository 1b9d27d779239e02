// Validates an OpenAPI document with OpenAPI's own schemas and reports errors at the places in the author's files. Also
// reports references to objects of the wrong kind: the schemas accept any reference wherever one is allowed, because
// they do not examine its target. The validators are large and are imported only when a document is validated.

import type { Validator } from "@seriousme/openapi-schema-validator";
import type { Report } from "../../diagnostics/sink.ts";
import { suggest } from "../../diagnostics/suggest.ts";
import { isJson, isLong, type SourceFile } from "../../source/source.ts";
import type { References } from "../../trees/api.ts";
import {
  type DocumentNode,
  findEntry,
  findNode,
  type Json,
  type MapNode,
  objectOf,
  toJson,
} from "../../trees/document.ts";
import { parseReference } from "../../trees/pointer.ts";
import { isRecord } from "../../value-types/records.ts";
import { maximumExpansion } from "../document/limits.ts";
import { jsonOfText } from "../json/skim-json.ts";
import { findReference } from "../references/locate.ts";
import { type OpenapiDocument, reportViolation } from "./describe-violation.ts";
import { kindOf, knownFields, type ObjectKind } from "./known-fields.ts";
import { isKnownValid } from "./known-valid.ts";
import { jsonWithoutValid, type OpenapiMemory, rememberValid } from "./valid-entries.ts";
import type { OpenapiVersion } from "./version.ts";
import { reduceViolations, type Violation } from "./violations.ts";

/** The name of a kind in messages, and its section in `components`. */
const sections: Readonly<Record<ObjectKind, { readonly section: string; readonly title: string }>> = {
  schema: { section: "schemas", title: "a schema" },
  response: { section: "responses", title: "a response" },
  parameter: { section: "parameters", title: "a parameter" },
  example: { section: "examples", title: "an example" },
  requestBody: { section: "requestBodies", title: "a request body" },
  header: { section: "headers", title: "a header" },
  securityScheme: { section: "securitySchemes", title: "a security scheme" },
  link: { section: "links", title: "a link" },
  pathItem: { section: "pathItems", title: "a path item" },
};

/** The keys of schemas that contain one schema. */
const schemaFields: ReadonlySet<string> = new Set(
  "items not additionalProperties if then else contains propertyNames unevaluatedItems unevaluatedProperties contentSchema".split(
    " ",
  ),
);

/** The keys of schemas that contain lists of schemas, or schemas by name. */
const schemaCollections: ReadonlySet<string> = new Set(
  "properties patternProperties dependentSchemas $defs definitions allOf anyOf oneOf prefixItems".split(" "),
);

/** Keys whose values are data. */
const data: ReadonlySet<string> = new Set([
  "example",
  "examples",
  "default",
  "value",
  "dataValue",
  "enum",
  "const",
]);

/** The kind of the value under a key, and of each value in it if it is a list or has names as keys. */
interface Below {
  readonly kind: ObjectKind;
  readonly each?: ObjectKind | undefined;
}

/** The parts of a document that may hold anything, and those that hold no schemas or components. */
const anything: Below = { kind: "anything" };
const nothing: Below = { kind: "data" };

/** Returns what stands under a key of an object of a kind. */
function below(kind: ObjectKind, key: string): Below {
  if (kind === "anything" || kind === "data") return { kind };
  if (key.startsWith("x-")) return isOwnExtension(key) ? { kind: "extension" } : anything;
  if (kind === "schema") {
    if (schemaFields.has(key)) return { kind: "schema" };
    if (schemaCollections.has(key)) return { kind: "schemas", each: "schema" };
    const isKeyword = data.has(key) || knownFields("schema").includes(key) || key === "dependentRequired";
    // A list of `items`, or a keyword of another dialect.
    return isKeyword ? nothing : anything;
  }
  if (key === "$defs" || key === "definitions") return { kind: "schemas", each: "schema" };
  if (kind === "extension") return { kind: key === "schema" ? "schema" : "extension" };
  const each = kindOf(`${key}[]`);
  if (each !== undefined) return { kind: key, each };
  return data.has(key) ? nothing : { kind: kindOf(key) ?? "unknown" };
}

function isOwnExtension(key: string): boolean {
  return key.startsWith("x-gw-") || key.startsWith("x-tyk-");
}

/**
 * Reports and returns the references to objects of another kind, also those in other files that the document refers to.
 * Skips long documents.
 */
export function checkReferenceKinds(document: Checked, report: Report): readonly DocumentNode[] {
  const found: DocumentNode[] = [];
  const { file } = document.root.span.source;
  if (isLong(file)) return found;
  const seen = new Set<DocumentNode>();
  const visit = (node: DocumentNode, at: ObjectKind): void => {
    if (at === "data" || at === "anything" || seen.has(node)) return;
    seen.add(node);
    if (node.kind === "list") for (const item of node.items) visit(item, at);
    if (node.kind !== "map") return;
    if (isMisdirected(node, at, document, report)) found.push(node);
    else {
      const target = document.targetOf(node);
      // The whole document is visited in any case.
      if (target !== undefined && target.span.source.file !== file) visit(target, at);
    }
    for (const { key, value } of node.entries) {
      const inside = below(at, key);
      if (inside.each === undefined) visit(value, inside.kind);
      else if (value.kind === "list") for (const item of value.items) visit(item, inside.each);
      else if (value.kind === "map") for (const entry of value.entries) visit(entry.value, inside.each);
    }
  };
  visit(document.root, document.kind);
  return found;
}

/** Returns the kind of the value at a path of keys. */
function kindAlong(start: ObjectKind, keys: readonly string[]): ObjectKind {
  let at: Below = { kind: start };
  for (const key of keys) at = at.each === undefined ? below(at.kind, key) : { kind: at.each };
  return at.kind;
}

interface Checked {
  readonly root: MapNode;
  /** `extension` for a bare stream document. */
  readonly kind: "root" | "extension";
  readonly references: References;
  /** Returns the node that a reference leads to, which may be another reference. */
  readonly targetOf: (node: DocumentNode) => DocumentNode | undefined;
  /** Returns the value of a file that was read. */
  readonly rootOf: (file: SourceFile) => DocumentNode | undefined;
}

function isMisdirected(node: MapNode, kind: ObjectKind, document: Checked, report: Report): boolean {
  const reference = findReference(node);
  const wanted = sections[kind];
  if (reference === undefined || wanted === undefined) return false;
  const [, file = "", section, name = ""] =
    /^([^#]*)#\/components\/(\w+)\/([^/]+)$/.exec(reference.text) ?? [];
  const found =
    Object.values(sections).find((each) => each.section === section) ??
    sectionAt(reference.text, kind, document, node);
  if (found === undefined || found === wanted) return false;
  const isOwn = file === "" && node.span.source.file === document.root.span.source.file;
  const known = isOwn ? findNode(document.root, "components", wanted.section) : undefined;
  const names = known?.kind === "map" ? known.entries.map(({ key }) => key) : [];
  const closest = names.includes(name) ? name : suggest(name, names);
  report("GW1046", reference.node.span, {
    field: "$ref",
    rule: `must lead to ${wanted.title}${found === "none" ? "" : `, not to ${found.title}`}`,
    choices: closest === undefined ? [] : [`#/components/${wanted.section}/${closest}`],
  });
  return true;
}

/**
 * Returns the section for the kind of object at a place in the document; `none` if it is certainly of no kind that
 * references may lead to, `undefined` if it is unknown.
 */
function sectionAt(text: string, wanted: ObjectKind, document: Checked, node: MapNode) {
  const { root, kind, references, rootOf, targetOf } = document;
  const reference = parseReference(text);
  if (reference.kind !== "place" || typeof reference.place === "string") return undefined;
  const isOwn = reference.path === undefined && node.span.source.file === root.span.source.file;
  const [first, section] = reference.place;
  const isComponent =
    first === "components" && Object.values(sections).some((each) => each.section === section);
  const target = targetOf(node);
  const isOpenapi =
    target !== undefined && findEntry(rootOf(target.span.source.file), "openapi") !== undefined;
  // Another file may have any form, unless it is OpenAPI or has components of OpenAPI.
  if (!isOwn && !isComponent && !isOpenapi) return isSchema(target, wanted) ? sections.schema : undefined;
  const found = kindAlong(isOwn ? kind : "root", reference.place);
  // A reference without a target has been reported.
  if (found === "anything" || references.resolve(node) === undefined) return undefined;
  if (sections[found] !== undefined) return sections[found];
  const isKnown = found !== "unknown" && found !== "extension";
  return isKnown || wanted === "schema" ? "none" : undefined;
}

/** Keywords that only schemas have, apart from the `type` of a security scheme. */
const schemaKeywords: readonly string[] = ["type", "properties", "items", "allOf", "anyOf", "oneOf"];

/** Whether a value in a file of any form is certainly a schema where another kind of object is wanted. */
function isSchema(node: DocumentNode | undefined, wanted: ObjectKind): boolean {
  if (wanted === "schema" || node?.kind !== "map") return false;
  const keys = node.entries.map(({ key }) => key).filter((key) => !key.startsWith("x-"));
  const [own, others] = [knownFields("schema"), knownFields(wanted)];
  return (
    keys.every((key) => own.includes(key)) &&
    keys.some((key) => schemaKeywords.includes(key) && !others.includes(key))
  );
}

/** Reports violations of OpenAPI. Does not repeat references without a target. `memory`: results of earlier checks. */
export async function validateOpenapi(
  document: OpenapiDocument,
  report: Report,
  memory?: OpenapiMemory,
): Promise<void> {
  const { root, version, references } = document;
  const known = document.isSelfContained ? memory?.valid : undefined;
  const inlined =
    (known && jsonWithoutValid(root, version, known)) ??
    (document.isSelfContained ? jsonOf(root) : inlineFiles(root, references));
  const api = version === "3.2" ? inlined : prepare(document, inlined, report);
  const isValid = await isKnownValid(version, api);
  const found = isValid ? [] : await findViolationsOnce(document, api, memory);
  if (known !== undefined) rememberValid(root, version, found, known);
  for (const violation of reduceViolations(found)) reportViolation(violation, document, report);
}

/**
 * Returns the violations that the validator finds. The result for the same JSON is reused, for example while a mapping
 * is typed. Leaves out extensions, which OpenAPI does not define.
 */
async function findViolationsOnce(
  { root, version, isSelfContained }: OpenapiDocument,
  api: Api,
  memory: OpenapiMemory | undefined,
): Promise<readonly Violation[]> {
  const { file } = root.span.source;
  const own = Object.fromEntries(Object.entries(api).filter(([key]) => !key.startsWith("x-")));
  if (memory === undefined || (isLong(file) && !isSelfContained)) return findViolations(version, own);
  const json = `${version} ${JSON.stringify(own)}`;
  const last = memory.violations.get(file.path);
  if (last?.json === json) return last.found;
  const found = await findViolations(version, own);
  memory.violations.set(file.path, { json, found });
  return found;
}

/** Returns the violations in `api`, a whole document with a patch version that the validator supports. */
export function findViolations(version: OpenapiVersion, api: Api): Promise<readonly Violation[]> {
  // With a value the validator would validate the document as Swagger. Without one it is an unknown field.
  const own = Object.hasOwn(api, "swagger") ? { ...api, swagger: null } : api;
  return version === "3.2" ? validateNew(own) : validateOld(own);
}

type Api = { readonly [key: string]: Json };

/** The validator of OpenAPI 3.2, which compiles the schema on first use. */
let newValidator: Validator | undefined;

/** Validates OpenAPI 3.2 with the schema that its authors publish, which swagger-parser does not support. */
async function validateNew(api: Api): Promise<readonly Violation[]> {
  const { Validator } = await import("@seriousme/openapi-schema-validator");
  newValidator ??= new Validator({ allErrors: true });
  const { errors } = await newValidator.validate(structuredClone(api));
  // A string instead of a list is an error about references or versions, which have been checked before.
  return Array.isArray(errors) ? (errors as readonly Violation[]) : [];
}

/** Validates OpenAPI 3.0 and 3.1. Does not resolve references, which the compiler followed before by its own rules. */
async function validateOld(api: Api): Promise<readonly Violation[]> {
  const { default: SwaggerParser } = await import("@apidevtools/swagger-parser");
  try {
    await SwaggerParser.validate(
      structuredClone(api) as unknown as Parameters<typeof SwaggerParser.validate>[0],
      {
        resolve: { external: false, file: false, http: false },
        dereference: { excludedPathMatcher: () => true },
        validate: { schema: true, spec: false },
      },
    );
    return [];
  } catch (error) {
    const details = error instanceof Error && "details" in error ? error.details : undefined;
    if (!Array.isArray(details)) throw error;
    return details as readonly Violation[];
  }
}

/**
 * Reports the mistakes for which swagger-parser throws errors without a place. Returns the document without these
 * mistakes, and with a patch version that swagger-parser supports.
 */
function prepare({ root, version, references }: OpenapiDocument, api: Api, report: Report): Api {
  const prepared: Record<string, Json> = { ...api, openapi: version === "3.0" ? "3.0.4" : "3.1.1" };
  const parts = version === "3.0" ? ["paths"] : ["paths", "components", "webhooks"];
  if (!parts.some((part) => Object.hasOwn(api, part))) {
    const key = findEntry(root, "openapi")?.keySpan ?? root.span;
    report("GW1043", key, { owner: "the document", field: "paths" });
  }
  prepared.paths = withoutReferences(api.paths ?? {});
  const number: DocumentNode | undefined = references.find(root, "info", "version");
  if (number?.kind === "scalar" && isNumber(number.value)) {
    const written = number.span.source.text.slice(number.span.start, number.span.end);
    report("GW1045", number.span, { field: "version", expected: "a string", actual: "a number", written });
    prepared.info = { ...(api.info as Api), version: String(number.value) };
  }
  return prepared;
}

/** Whether a value is a number. Whole numbers beyond 2^53 are bigints. */
function isNumber(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint";
}

/** Removes the references of paths, which OpenAPI 3.1 allows within the document but its schema does not. */
function withoutReferences(paths: Json): Json {
  const refers = (item: Json) => isRecord(item) && typeof item.$ref === "string";
  if (!isRecord(paths) || !Object.values(paths).some(refers)) return paths;
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => {
      if (!isRecord(item) || !refers(item)) return [path, item];
      const { $ref, ...rest } = item;
      return [path, rest];
    }),
  );
}

/** Returns the JSON of a document that refers to no other document. */
function jsonOf(root: MapNode): { readonly [key: string]: Json } {
  const { source } = root.span;
  return isJson(source.file) ? jsonOfText(source) : objectOf(root.entries, toJson);
}

/** Returns the JSON of a document whose references were followed, without extensions, which OpenAPI does not define. */
function inlineFiles(root: MapNode, references: References): { readonly [key: string]: Json } {
  const home = root.span.source.file;
  const open = new Set<DocumentNode>();
  let left = maximumExpansion;
  return objectOf(
    root.entries.filter(({ key }) => !key.startsWith("x-")),
    jsonIn,
  );

  function jsonIn(node: DocumentNode): Json {
    if (node.kind === "scalar") return typeof node.value === "bigint" ? Number(node.value) : node.value;
    if (node.kind === "list") return node.items.map(jsonIn);
    const target = findForeign(node);
    return target === undefined ? objectOf(node.entries, jsonIn) : inline(target);
  }

  /** Returns the target of a reference if it is in another file; `undefined` otherwise. */
  function findForeign(node: MapNode): DocumentNode | undefined {
    if (findReference(node) === undefined) return undefined;
    const target = references.resolve(node);
    return target === node || target?.span.source.file === home ? undefined : target;
  }

  function inline(target: DocumentNode): Json {
    left--;
    // A cycle, or a part that is shared too often, ends in a reference, which is allowed where another reference was.
    if (open.has(target) || left < 0) return { $ref: "#" };
    open.add(target);
    const json = jsonIn(target);
    open.delete(target);
    return json;
  }
}
