// Checks a value against its schema and reports at the places in the document: unknown and missing fields, wrong types,
// values out of bounds. One mistake causes one diagnostic.

import type { Schema } from "../../../schemas/schema.ts";
import type { EntryDestination } from "../../diagnostics/fixes/entries.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { type Nearest, nearest } from "../../diagnostics/suggest.ts";
import { isOff } from "../../model/written.ts";
import type { FieldNode } from "../../trees/api.ts";
import { type DocumentNode, findEntry, type MapEntry } from "../../trees/document.ts";
import { isSwitchedOff } from "../../trees/left-out.ts";
import { isTooLate, type LocatedValue, locateValue, type ValuePlace } from "./located-value.ts";
import { type ShapeMistake, validate } from "./validator.ts";
import { reportValue } from "./value-mistakes.ts";

/** What belongs to other places than a value, but may be written in it. */
export interface Outside {
  /** Keys that belong next to the value. */
  readonly besides: readonly string[];
  /** The other component with the same name: the output of an input. */
  readonly counterpart?: { readonly role: string; readonly schema: Schema } | undefined;
}

/** Checks the shape of `place.node`; `read` is the result of the reader. */
export function checkShape(
  place: Omit<ValuePlace, "environment">,
  read: FieldNode | undefined,
  report: Report,
  outside: Outside = nothing,
): void {
  const located = locateValue(place, read);
  const found = validate(place.schema, located.value);
  const mistakes = found.filter(({ pointer }) => !isUnknown(located, pointer));
  // Almost all values have none, and a large set has very many values.
  const failed = mistakes.length === 0 ? none : reportMistakes(located, mistakes, report, outside);
  reportAnnotations(located, failed, report);
}

const none: ReadonlySet<string> = new Set();

const nothing: Outside = { besides: [] };

/** Reports all mistakes of a value. Returns the pointers of the values that have them. */
function reportMistakes(
  located: LocatedValue,
  mistakes: readonly ShapeMistake[],
  report: Report,
  outside: Outside,
): ReadonlySet<string> {
  const byPointer = Map.groupBy(mistakes, ({ pointer }) => pointer);
  for (const [pointer, group] of byPointer) {
    const at = located.places.get(pointer);
    const around =
      pointer === "" ? undefined : located.places.get(pointer.slice(0, pointer.lastIndexOf("/")));
    if (at !== undefined) reportPlace(at, group, report, pointer === "" ? outside : nothing, around);
  }
  return new Set(byPointer.keys());
}

function isUnknown(located: LocatedValue, pointer: string): boolean {
  return located.unknown.has(pointer);
}

/** Reports all mistakes of one value. A wrong type explains all of its other mistakes. */
function reportPlace(
  place: ValuePlace,
  mistakes: readonly ShapeMistake[],
  report: Report,
  { besides, counterpart }: Outside,
  around: ValuePlace | undefined,
): void {
  const [first] = mistakes;
  const wrongType = mistakes.find(({ keyword }) => keyword === "type");
  const value = wrongType ?? mistakes.find(({ key }) => key === undefined);
  if (value !== undefined) {
    reportValue(place, value, report);
    return;
  }
  const unknown = keysOf(mistakes, "additionalProperties");
  const schema = first?.schema ?? {};
  if (around !== undefined && unknown.length > 0 && isFieldOfEntries(place, around)) {
    const advice = `Move it into an entry of \`${around.name}\`.`;
    report("GW4010", place.nameSpan, { owner: around.name, field: place.name, closest: undefined, advice });
    return;
  }
  const names = withMissing(
    place,
    unknown,
    findNearest(place, unknown, schema),
    keysOf(mistakes, "required"),
    schema,
  );
  const only = onlyField(schema);
  const isMissing = only !== undefined && keysOf(mistakes, "required").includes(only);
  if (isMissing && unknown.length > 0 && names.every(({ closest }) => closest === undefined)) {
    // The keys belong below the only field of the object, which was left out.
    report("GW4011", place.nameSpan, { owner: place.name, fields: [only], below: unknown });
    return;
  }
  const meant = unknown.map((key, index) => {
    const belonging = besides.includes(key)
      ? besideOwner(place)
      : (findBlock(key, place.node, names[index]?.closest, schema) ??
        findNeighbour(key, names[index]?.closest, place, around) ??
        findCollection(key, place.node, names[index]?.closest, schema) ??
        findCounterpart(key, names[index]?.closest, place, counterpart));
    return reportUnknown(place, key, schema, { ...(names[index] ?? noName), ...belonging }, report);
  });
  if (isSwitchedOff(place.node, schema)) return;
  // A required field under a misspelt name is already reported, and so are fields under other names.
  const missing = keysOf(mistakes, "required").filter((key) => !meant.includes(key));
  const unexplained = names.filter(({ closest }) => closest === undefined);
  if (missing.length > 0 && (missing.length === 1 || unexplained.length < missing.length))
    report("GW4011", place.nameSpan, { owner: place.name, fields: missing });
}

/** Whether an entry of a collection has the name of a field that its entries have: one level is missing. */
function isFieldOfEntries({ name, node, schema }: ValuePlace, { schema: around }: ValuePlace): boolean {
  const { additionalProperties: each, properties = {} } = around;
  const fields = typeof each === "object" ? (each.properties ?? {}) : {};
  return (
    each === schema &&
    !Object.hasOwn(properties, name) &&
    Object.hasOwn(fields, name) &&
    isOfKind(node, fields[name])
  );
}

/** Returns the only field of an object if it is required. */
function onlyField({ properties = {}, required = [] }: Schema): string | undefined {
  const [only, ...others] = Object.keys(properties);
  return only !== undefined && others.length === 0 && required.includes(only) ? only : undefined;
}

function keysOf(mistakes: readonly ShapeMistake[], keyword: string): readonly string[] {
  return mistakes.flatMap((mistake) => (mistake.keyword === keyword ? (mistake.key ?? []) : []));
}

/**
 * Returns the names that unknown keys may mean. A name that exists already, or that two keys resemble, is only
 * mentioned.
 */
function findNearest(
  place: ValuePlace,
  unknown: readonly string[],
  { properties = {} }: Schema,
): readonly Nearest[] {
  const known = Object.keys(properties);
  const present =
    place.node.kind === "map" ? place.node.entries.map(({ key }) => ownName(key, properties)) : [];
  const taken = new Set(known.filter((name) => present.includes(ownName(name, properties))));
  const names = unknown.map((key) => meantElsewhere(key, known, taken) ?? nearest(key, known, taken));
  const shared = Map.groupBy(names, ({ closest }) => closest);
  return names.map(({ closest, respelling }) => {
    const isShared = (shared.get(closest)?.length ?? 0) > 1;
    return { closest, respelling: isShared ? undefined : respelling };
  });
}

/** Names that broker clients and other tools use for our fields, in lower case without punctuation. */
const elsewhere: Readonly<Record<string, readonly string[]>> = {
  autooffsetreset: ["start_from_oldest", "start_offset"],
  bootstrapservers: ["addresses", "seed_brokers", "urls"],
  brokers: ["addresses", "seed_brokers", "urls"],
  caches: ["cache_resources"],
  concurrency: ["threads", "max_in_flight"],
  capacity: ["cap"],
  commitinterval: ["commit_period"],
  condition: ["check"],
  count: ["rate"],
  documents: ["apis"],
  endpoint: ["url", "urls", "path"],
  groupid: ["consumer_group"],
  host: ["address"],
  if: ["check"],
  interval: ["per"],
  method: ["verb"],
  parallelism: ["threads", "max_in_flight"],
  partitionkey: ["key"],
  per: ["interval"],
  rate: ["count"],
  ratelimits: ["rate_limit_resources"],
  size: ["count", "cap"],
  startoffset: ["start_from_oldest"],
  uri: ["url", "urls"],
  when: ["check"],
  workers: ["threads", "max_in_flight"],
};

function meantElsewhere(
  key: string,
  known: readonly string[],
  taken: ReadonlySet<string>,
): Nearest | undefined {
  const names = ownList(elsewhere, key.toLowerCase().replace(/[^a-z0-9]/g, ""));
  const closest = names.find((name) => known.includes(name) && !taken.has(name));
  return closest === undefined ? undefined : { closest, respelling: "unsure" };
}

/**
 * Returns `names`, with the one missing field as the meaning of the one unknown key if neither its name nor the schema
 * has another explanation: `brokers` means `addresses` if its value fits.
 */
function withMissing(
  { node }: ValuePlace,
  unknown: readonly string[],
  names: readonly Nearest[],
  missing: readonly string[],
  { properties = {} }: Schema,
): readonly Nearest[] {
  const unexplained = unknown.filter((_, index) => names[index]?.closest === undefined);
  const meant = missing.filter((field) => !names.some(({ closest }) => closest === field));
  const [key, field] = [unexplained[0], meant[0]];
  if (unexplained.length !== 1 || meant.length !== 1 || key === undefined || field === undefined)
    return names;
  const value = findEntry(node, key)?.value;
  if (value === undefined || !isOfKind(value, properties[field])) return names;
  // The value is an entry of the field, which was left out.
  if (isEntryOf(value, properties[field])) return names;
  return names.map((name, index) =>
    unknown[index] === key ? { closest: field, respelling: "unsure" } : name,
  );
}

/** Whether a value is an object with a field that the entries of a collection have. */
function isEntryOf(value: DocumentNode, collection: Schema | undefined): boolean {
  const each = collection?.additionalProperties;
  const fields = typeof each === "object" ? (each.properties ?? {}) : {};
  return value.kind === "map" && value.entries.some(({ key }) => Object.hasOwn(fields, key));
}

/** Whether a value has the outline that a schema describes: a list, an object, or a scalar. */
function isOfKind(value: DocumentNode, schema: Schema | undefined): boolean {
  if (schema === undefined) return false;
  if (schema.type === "array") return value.kind !== "map";
  if (schema.type === "object" || schema.properties !== undefined) return value.kind === "map";
  return value.kind === "scalar";
}

/** Finds the block for a field that is one level too high. */
function findBlock(
  key: string,
  node: DocumentNode,
  closest: string | undefined,
  { properties = {} }: Schema,
): Belonging | undefined {
  if (closest !== undefined) return undefined;
  const value = findEntry(node, key)?.value;
  const blocks = Object.keys(properties).filter((name) => {
    const inner = properties[name];
    const field = Object.hasOwn(inner?.properties ?? {}, key) ? inner?.properties?.[key] : undefined;
    return inner?.type === "object" && value !== undefined && isOfKind(value, field);
  });
  const [block] = blocks;
  if (block === undefined || blocks.length > 1) return undefined;
  const entry = findEntry(node, block);
  return { advice: `Indent it below \`${block}\`.`, place: entry && placeIn(entry) };
}

/** Returns the place in the value of an entry: after its entries, or as its first one; `undefined` for other values. */
export function placeIn({ keySpan, value }: MapEntry): EntryDestination | undefined {
  if (value.kind === "scalar" && value.value === null) return { into: keySpan, last: undefined };
  return value.kind === "map" ? { into: keySpan, last: value.entries.at(-1)?.keySpan } : undefined;
}

/** Where an unknown field belongs. */
interface Belonging {
  readonly advice: string;
  /** Absent if the place is not known, or does not exist yet. */
  readonly place?: EntryDestination | undefined;
}

function besideOwner({ name, nameSpan }: ValuePlace): Belonging {
  return { advice: `Move it to the same level as \`${name}\`.`, place: { beside: nameSpan } };
}

/** Finds the place for a field that is in the sibling block of its own, or inside a block that it belongs next to. */
function findNeighbour(
  key: string,
  closest: string | undefined,
  owner: ValuePlace,
  around: ValuePlace | undefined,
): Belonging | undefined {
  if (closest !== undefined || around === undefined) return undefined;
  const { properties = {} } = around.schema;
  if (Object.hasOwn(properties, key)) return besideOwner(owner);
  // Many blocks have fields such as `url`: only one that is written can be meant.
  const blocks = Object.keys(properties).filter(
    (name) =>
      Object.hasOwn(properties[name]?.properties ?? {}, key) && findEntry(around.node, name) !== undefined,
  );
  return blocks.length === 1 ? { advice: `Move it into \`${blocks[0]}\`.` } : undefined;
}

/** Finds the collection beside a field that belongs into its entries. */
function findCollection(
  key: string,
  node: DocumentNode,
  closest: string | undefined,
  { properties = {} }: Schema,
): Belonging | undefined {
  const value = closest === undefined ? findEntry(node, key)?.value : undefined;
  if (value === undefined) return undefined;
  const collections = Object.keys(properties).filter((name) => {
    const each = properties[name]?.additionalProperties;
    const fields = typeof each === "object" ? (each.properties ?? {}) : {};
    return Object.hasOwn(fields, key) && isOfKind(value, fields[key]);
  });
  return collections.length === 1 ? { advice: `Move it into an entry of \`${collections[0]}\`.` } : undefined;
}

/** Finds the other component with the same name for a field that only that has: `consumer_group` of a Kafka input. */
function findCounterpart(
  key: string,
  closest: string | undefined,
  { name }: ValuePlace,
  counterpart: Outside["counterpart"],
): Belonging | undefined {
  if (closest !== undefined || !Object.hasOwn(counterpart?.schema.properties ?? {}, key)) return undefined;
  return { advice: `It is a field of the ${counterpart?.role} \`${name}\`: move it there, or remove it.` };
}

/** Returns the name of a field, also for its alias. */
function ownName(key: string, properties: Readonly<Record<string, Schema>>): string {
  return (Object.hasOwn(properties, key) ? properties[key]?.["x-alias"] : undefined) ?? key;
}

const noName: Nearest = { closest: undefined };

function ownList(table: Readonly<Record<string, readonly string[]>>, key: string): readonly string[] {
  return Object.hasOwn(table, key) ? (table[key] ?? []) : [];
}

/** Returns the entry of a table for a key of a document. The key may be `constructor`. */
function ownText(table: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
  return table !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;
}

/** Reports a key that is not in the schema. Returns the name that was probably meant. */
function reportUnknown(
  place: ValuePlace,
  key: string,
  schema: Schema,
  { closest, respelling, advice, place: belongs }: Nearest & Partial<Belonging>,
  report: Report,
): string | undefined {
  const span = findEntry(place.node, key)?.keySpan ?? place.nameSpan;
  const refusal = ownText(schema["x-refused"], key);
  if (refusal !== undefined) {
    report("GW4190", span, { owner: place.name, field: key, reason: refusal });
    return undefined;
  }
  const withoutEffect = ownText(schema["x-without-effect"], key);
  if (withoutEffect !== undefined) {
    report("GW4271", span, { owner: place.name, field: key, reason: withoutEffect });
    return undefined;
  }
  if (schema["x-unsupported"]?.includes(key)) {
    report("GW4016", span, { owner: place.name, field: key });
    return undefined;
  }
  const known = Object.keys(schema.properties ?? {});
  report("GW4010", span, {
    owner: place.name,
    field: key,
    closest,
    respelling,
    advice,
    place: belongs,
    known,
  });
  return closest === undefined ? undefined : ownName(closest, schema.properties ?? {});
}

/** Reports on every place of a value except those in `failed`, which are already reported. */
function reportAnnotations(located: LocatedValue, failed: ReadonlySet<string>, report: Report): void {
  located.places.forEach((place, pointer) => {
    if (!failed.has(pointer)) reportAnnotationsAt(place, report);
  });
}

/**
 * Reports on our own annotations of a value with the right shape: a field that has no effect yet, a value that is not
 * supported yet, or a value that must be known when the gateway is built.
 */
function reportAnnotationsAt(place: ValuePlace, report: Report): void {
  const { schema, node, name, nameSpan, environment } = place;
  if (schema["x-reserved"] && !asksForNothing(place)) report("GW4018", nameSpan, { field: name });
  if (isTooLate(place)) report("GW4026", node.span, { field: name });
  const supported = schema["x-supported"];
  if (supported === undefined || node.kind !== "scalar" || environment !== undefined) return;
  if (supported.some((value) => value === node.value)) return;
  const value = String(node.value);
  report("GW4017", node.span, { field: name, value, supported: supported.map(String) });
}

/** Whether the value asks for nothing special: it is the default, or a block that is switched off. */
function asksForNothing({ schema, node }: ValuePlace): boolean {
  if (node.kind === "scalar") return schema.default !== undefined && node.value === schema.default;
  return isOff(node);
}
