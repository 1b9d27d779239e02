// Rules about the values with which an OpenAPI document illustrates its schemas: examples, and defaults. Readers copy
// them, and generated clients and mock servers send them.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import { sampledValueOf } from "../../../model/operation-parts.ts";
import { SchemaModel } from "../../../model/schema-model.ts";
import { entriesOf, itemsOf } from "../../../model/written.ts";
import { isLong, type Span } from "../../../source/source.ts";
import { type DocumentNode, findEntry, findNode, type ScalarNode, toJson } from "../../../trees/document.ts";
import { alternativesOf } from "../../../value-types/alternatives.ts";
import { explainMismatch } from "../../../value-types/assignable.ts";
import { typeOfValue } from "../../../value-types/json-schema/read/literals.ts";
import { type Mismatch, type PathStep, printPath } from "../../../value-types/mismatch.ts";
import { printType } from "../../../value-types/print.ts";
import type { Type } from "../../../value-types/type.ts";
import { sameType } from "../../../value-types/union.ts";
import { createDeclaredTypes } from "../../inference/declared-types.ts";
import { matchesPattern } from "../../regexp.ts";

/** A value that stands for values of a schema. */
interface Sample {
  readonly value: DocumentNode;
  readonly schema: DocumentNode;
  /** The kind of value, as in messages. */
  readonly kind: "example" | "default";
  /** Whether the value may be written as the text that is sent. */
  readonly maySerialise: boolean;
  /** The list that contains it: one mistake in it is reported. */
  readonly list?: DocumentNode;
}

/** Reports examples and defaults that do not fit their schemas. Rules do not visit long documents as a whole. */
export function checkExamples(api: ApiModel, report: Report): void {
  if (isLong(api.file) || api.openapi === undefined) return;
  const types = createDeclaredTypes(api);
  const { samples, oneWay } = samplesOf(api);
  const reported = new Set<DocumentNode>();
  for (const sample of samples) {
    if (!isMeant(sample.value) || (sample.list !== undefined && reported.has(sample.list))) continue;
    const type = types.typeOf(sample.schema);
    if (sample.maySerialise && isSerialised(sample.value, type)) continue;
    // A default that is one value is compared with the keywords of its schema.
    const isCompared = sample.kind === "default" && sample.value.kind === "scalar";
    const isReported =
      (!isCompared && reportMismatch(sample, type, oneWay, report)) || reportScalars(sample, api, report);
    if (isReported && sample.list !== undefined) reported.add(sample.list);
  }
}

/** Whether a value was written as an example: generators write `null` and empty texts for none. */
function isMeant(node: DocumentNode): boolean {
  return node.kind !== "scalar" || (node.value !== null && node.value !== "");
}

/** Whether a value is the text of an object, of a list, or of a parameter. */
function isSerialised(node: DocumentNode, type: Type): boolean {
  if (node.kind !== "scalar" || typeof node.value !== "string") return false;
  return alternativesOf(type).every((each) => each.kind !== "String");
}

interface Samples {
  readonly samples: readonly Sample[];
  /** The keys of properties that only requests or only responses have. */
  readonly oneWay: ReadonlySet<Span>;
}

/** Returns the examples and defaults of the document's own schemas, media types, parameters and headers. */
function samplesOf(api: ApiModel): Samples {
  const found: Sample[] = [];
  const oneWay = new Set<Span>();
  const visited = new Set<DocumentNode>();
  for (const part of ["paths", "webhooks", "components"])
    visit(findNode(api.root, part), part === "components");
  return { samples: found, oneWay };

  /** `isNamed`: the keys of the object are names of the author. */
  function visit(node: DocumentNode | undefined, isNamed = false): void {
    if (node === undefined || visited.has(node)) return;
    visited.add(node);
    if (node.kind === "list") for (const item of node.items) visit(item);
    if (node.kind !== "map") return;
    const { schema, examples = [] } = isNamed ? {} : sampledValueOf(node, api.references);
    if (schema?.kind === "map") {
      for (const value of examples) found.push({ value, schema, kind: "example", maySerialise: true });
      visitSchema(schema);
    }
    for (const { key, value } of node.entries) {
      if (key === "schemas" && isNamed) for (const each of entriesOf(value)) visitSchema(each.value);
      else if (key.startsWith("x-") || (!isNamed && (key === "schema" || data.has(key)))) continue;
      else visit(value, !isNamed && maps.has(key));
    }
  }

  function visitSchema(schema: DocumentNode): void {
    const target = api.references.resolve(schema);
    if (target?.kind !== "map" || visited.has(target)) return;
    visited.add(target);
    const base = { schema: target, maySerialise: false } as const;
    const { example, examples: list, default: fallback } = new SchemaModel(target);
    if (example !== undefined) found.push({ ...base, value: example, kind: "example" });
    for (const value of itemsOf(list))
      found.push({ ...base, value, kind: "example", ...(list === undefined ? {} : { list }) });
    if (fallback !== undefined) found.push({ ...base, value: fallback, kind: "default" });
    for (const { key, value } of target.entries) {
      if (schemaMaps.has(key)) {
        for (const each of entriesOf(value)) {
          if (new SchemaModel(each.value).isOneWay) oneWay.add(each.keySpan);
          visitSchema(each.value);
        }
      } else if (schemaLists.has(key)) for (const each of itemsOf(value)) visitSchema(each);
      else if (schemaKeys.has(key)) visitSchema(value);
    }
  }
}

/** Keywords whose values are data. */
const data: ReadonlySet<string> = new Set(["example", "examples", "default", "enum", "const", "value"]);

/** Fields of OpenAPI whose keys are names. */
const maps: ReadonlySet<string> = new Set([
  ...["content", "headers", "responses", "callbacks", "parameters", "requestBodies", "encoding", "links"],
]);

const schemaMaps: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs"]);
const schemaLists: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const schemaKeys: ReadonlySet<string> = new Set(["items", "additionalProperties", "not"]);

/** Reports the first part of a value that has another type than its schema; returns whether there is one. */
function reportMismatch(sample: Sample, type: Type, oneWay: ReadonlySet<Span>, report: Report): boolean {
  const { value, kind } = sample;
  const all = explainMismatch(typeOfValue(toJson(value)), type).filter(
    ({ problem, wantedSpan }) =>
      // `null` often stands for no value, and requests lack what is read-only, as responses lack what is write-only.
      problem !== "null" && (problem !== "missing" || wantedSpan === undefined || !oneWay.has(wantedSpan)),
  );
  const mismatch = all.find(({ closest }) => closest !== undefined) ?? all[0];
  if (mismatch === undefined) return false;
  const { path, problem, closest, found, wanted, wantedSpan } = mismatch;
  const place = placeOf(value, mismatch);
  const details = {
    kind,
    field: printPath(path),
    problem: problem === "null" ? "type" : problem,
    found: found && printType(found),
    wanted: wanted && printType(wanted),
    closest,
    written: place.source.text.slice(place.start, place.end),
  } as const;
  const related = wantedSpan && { span: wantedSpan, message: "It is declared here." };
  report("GW4294", place, details, related);
  return true;
}

/** Returns the place of a mismatch in a value: of what is missing, the object around it. */
function placeOf(value: DocumentNode, { path, problem, found }: Mismatch): Span {
  const isMissing = problem === "missing";
  const [last = "", ...around] = path.toReversed();
  const fits = (node: DocumentNode): boolean =>
    isMissing
      ? node.kind === "map" && findEntry(node, last) === undefined
      : found === undefined ||
        alternativesOf(found).some((each) => sameType(each, typeOfValue(toJson(node))));
  const steps = isMissing ? around.toReversed() : path;
  const entry = entryAt(value, steps, fits);
  if (entry === undefined) return value.span;
  return problem === "extra" ? entry.keySpan : entry.value.span;
}

interface Placed {
  readonly keySpan: Span;
  readonly value: DocumentNode;
}

/** Returns the first part at a path that fits. */
function entryAt(
  value: DocumentNode,
  [step, ...rest]: readonly PathStep[],
  fits: (node: DocumentNode) => boolean,
  keySpan: Span = value.span,
): Placed | undefined {
  if (step === undefined) return fits(value) ? { keySpan, value } : undefined;
  const parts: readonly Placed[] =
    value.kind === "list"
      ? value.items.map((item) => ({ keySpan: item.span, value: item }))
      : entriesOf(value).filter(({ key }) => step === "{}" || key === step);
  for (const part of parts) {
    const found = entryAt(part.value, rest, fits, part.keySpan);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Reports the first text or number in a value that its schema does not allow, although its type is right. */
function reportScalars({ value, schema, kind }: Sample, api: ApiModel, report: Report): boolean {
  const pending: (readonly [DocumentNode, DocumentNode])[] = [[value, schema]];
  const met = new Set<DocumentNode>();
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const [part, given] = at;
    const target = api.references.resolve(given);
    if (target?.kind !== "map" || (part === value && met.has(target))) continue;
    if (part === value) met.add(target);
    const own = new SchemaModel(target);
    if (part.kind === "scalar") {
      const fault = faultOf(part.value, own);
      // Bounds of defaults are reported with the other keywords of the schema.
      if (fault !== undefined && (kind === "example" || fault.keyword === "pattern" || fault.format)) {
        report("GW4294", part.span, { kind, value: String(part.value), ...fault });
        return true;
      }
    }
    for (const each of own.parts("allOf")) pending.push([part, each]);
    const { items } = own;
    if (items !== undefined) for (const item of itemsOf(part).toReversed()) pending.push([item, items]);
    for (const { key, value: inner } of entriesOf(part).toReversed()) {
      const property = own.property(key);
      if (property !== undefined) pending.push([inner, property]);
    }
  }
  return false;
}

/** Returns the keyword that excludes a value of the right type. */
function faultOf(
  value: ScalarNode["value"],
  schema: SchemaModel,
): { keyword: string; format?: string } | undefined {
  const keyword = schema.boundExceededBy(value);
  if (keyword !== undefined) return { keyword };
  if (typeof value !== "string" || value === "") return undefined;
  const pattern = schema.pattern?.text;
  if (pattern !== undefined && matchesPattern(pattern, value) === false) return { keyword: "pattern" };
  const format = schema.format?.text ?? "";
  return textsOf.get(format)?.test(value) === false ? { keyword: "format", format } : undefined;
}

/** What every text of a format looks like. A time may lack its offset, as it does in many APIs. */
const textsOf: ReadonlyMap<string, RegExp> = new Map([
  ["date", /^\d{4}-[01]\d-[0-3]\d$/],
  ["date-time", /^\d{4}-[01]\d-[0-3]\d[Tt ][0-2]\d:[0-5]\d/],
  ["email", /.@./],
  ["uuid", /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/],
  ["ipv4", /^\d{1,3}(?:\.\d{1,3}){3}$/],
]);
