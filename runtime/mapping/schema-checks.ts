// Compiles JSON Schemas (drafts 4, 6 and 7) to functions that check values. They are closures, made once: no code is
// generated at run time. References only refer to the schema itself: nothing is fetched.

import { MappingError } from "../errors.ts";
import { isPlainObject, type PlainJson } from "./plain-json.ts";
import {
  type Check,
  type Faults,
  faultsOf,
  judgedOnce,
  type Keyword,
  type KeywordContext,
  meets,
} from "./schema-faults.ts";
import {
  commonKeywords,
  findRepeated,
  isOfTypes,
  matcher,
  numberKeywords,
  refuse,
  textKeywords,
} from "./schema-scalars.ts";

const objectKeywords: readonly (readonly [string, Keyword])[] = [
  ["minProperties", countOf(fieldsOf, "minProperties", (size, least) => size >= least)],
  ["maxProperties", countOf(fieldsOf, "maxProperties", (size, most) => size <= most)],
  ["required", (names) => eachKey(names, "required")],
  ["patternProperties", compilePatterns],
  ["additionalProperties", compileAdditional],
  ["propertyNames", compileNames],
];

/** Returns a keyword that limits the size of values. Values without a size pass. */
function countOf(
  sizeOf: (value: PlainJson) => number | undefined,
  keyword: string,
  fits: (size: number, limit: number) => boolean,
): Keyword {
  return (bound) => {
    if (typeof bound !== "number") return undefined;
    return refuse(keyword, bound, (value) => {
      const size = sizeOf(value);
      return size === undefined || fits(size, bound);
    });
  };
}

function fieldsOf(value: PlainJson): number | undefined {
  return isPlainObject(value) ? Object.keys(value).length : undefined;
}

function itemsOf(value: PlainJson): number | undefined {
  return Array.isArray(value) ? value.length : undefined;
}

/** Reports a fault of `keyword` for each of `names` that an object lacks. In draft 3, `required` was a flag. */
function eachKey(names: PlainJson, keyword: string): Check | undefined {
  if (!Array.isArray(names)) return undefined;
  const keys = names.map(String);
  return (value, path, faults) => {
    if (!isPlainObject(value)) return;
    for (const key of keys) {
      if (!Object.hasOwn(value, key)) faults.push({ keyword, path, detail: key });
      else if (keyword === "required") faults.score++;
    }
  };
}

function compileNames(schema: PlainJson, { compile }: KeywordContext): Check {
  const check = compile(schema);
  return (value, path, faults) => {
    if (!isPlainObject(value)) return;
    for (const key of Object.keys(value)) {
      const ofName = faultsOf(check, key, path);
      if (ofName.all.length === 0) continue;
      faults.push({ keyword: "propertyNames", path, detail: key });
      faults.merge(ofName);
    }
  };
}

function compileAdditional(additional: PlainJson, { schema, compile }: KeywordContext): Check {
  const named = isPlainObject(schema.properties) ? schema.properties : {};
  const patterns = Object.keys(isPlainObject(schema.patternProperties) ? schema.patternProperties : {});
  const matchers = patterns.map(matcher);
  const isAdditional = (key: string) =>
    !Object.hasOwn(named, key) && !matchers.some((matches) => matches(key));
  const check = compile(additional);
  return (value, path, faults) => {
    if (!isPlainObject(value)) return;
    for (const key of Object.keys(value).filter(isAdditional)) {
      if (additional === false) faults.push({ keyword: "additionalProperties", path, detail: key });
      else check(value[key] ?? null, [...path, key], faults);
    }
  };
}

/** `dependencies`: for objects with a certain key, further required keys or a schema for the whole object. */
function compileDependencies(dependencies: PlainJson, { compile }: KeywordContext): Check {
  const rows = entriesOf(dependencies).map(([key, needed]) => {
    return [key, Array.isArray(needed) ? eachKey(needed, "dependencies") : compile(needed)] as const;
  });
  return (value, path, faults) => {
    if (!isPlainObject(value)) return;
    for (const [key, check] of rows) if (Object.hasOwn(value, key)) check?.(value, path, faults);
  };
}

function compileProperties(properties: PlainJson, { compile }: KeywordContext): Check {
  const checks = entriesOf(properties).map(([key, schema]) => [key, compile(schema)] as const);
  return (value, path, faults) => {
    if (!isPlainObject(value)) return;
    for (const [key, check] of checks) {
      if (Object.hasOwn(value, key)) check(value[key] ?? null, [...path, key], faults);
    }
  };
}

function compilePatterns(patterns: PlainJson, { compile }: KeywordContext): Check {
  const rows = entriesOf(patterns).map(([pattern, schema]) => [matcher(pattern), compile(schema)] as const);
  return (value, path, faults) => {
    if (!isPlainObject(value)) return;
    for (const key of Object.keys(value)) {
      const matching = rows.filter(([matches]) => matches(key));
      for (const [, check] of matching) check(value[key] ?? null, [...path, key], faults);
      if (matching.length > 0) faults.score++;
    }
  };
}

function entriesOf(value: PlainJson): readonly (readonly [string, PlainJson])[] {
  if (!isPlainObject(value)) throw new MappingError("schema is invalid");
  return Object.entries(value);
}

/** Resolves the references of a schema, relative to `base`. */
interface SchemaReferences {
  resolve(reference: string, base: string): { readonly schema: PlainJson; readonly base: string };
  /** Returns the base of references inside a schema. */
  baseOf(schema: PlainJson, outer: string): string;
}

/** The base of relative references in a schema without an identifier. */
const rootBase = "schema://root/";

/** Keywords whose values are data and contain no schemas. */
const dataKeywords: ReadonlySet<string> = /* @__PURE__ */ new Set(["enum", "const", "default", "examples"]);

/** Returns the references of a schema. Collects its identifiers once. */
function createReferences(root: PlainJson): SchemaReferences {
  const resources = new Map<string, PlainJson>([[rootBase, root]]);
  collect(root, rootBase, resources);
  return {
    baseOf,
    resolve(reference, base) {
      const url = parseUrl(reference, base);
      const fragment = decodeFragment(url.hash.slice(1));
      url.hash = "";
      const known = resources.get(`${url.href}#${fragment}`);
      const resource = known ?? resources.get(url.href);
      if (known !== undefined || (resource !== undefined && fragment === "")) {
        return { schema: resource ?? true, base: url.href };
      }
      const target = fragment.startsWith("/") ? follow(resource, fragment) : undefined;
      if (target === undefined)
        throw new MappingError(`reference ${reference} leads to nothing in the schema`);
      return { schema: target, base: url.href };
    },
  };
}

function baseOf(schema: PlainJson, outer: string): string {
  const id = isPlainObject(schema) ? (schema.$id ?? schema.id) : undefined;
  if (typeof id !== "string" || id.startsWith("#")) return outer;
  const url = parseUrl(id, outer);
  url.hash = "";
  return url.href;
}

function collect(node: PlainJson, outer: string, resources: Map<string, PlainJson>): void {
  if (Array.isArray(node)) for (const item of node) collect(item, outer, resources);
  if (!isPlainObject(node)) return;
  const base = baseOf(node, outer);
  if (base !== outer) resources.set(base, node);
  for (const id of [node.$id, node.id]) {
    if (typeof id === "string" && id.startsWith("#")) resources.set(`${base}${id}`, node);
  }
  for (const [key, value] of Object.entries(node))
    if (!dataKeywords.has(key)) collect(value, base, resources);
}

function follow(from: PlainJson | undefined, pointer: string): PlainJson | undefined {
  let at = from;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(at)) at = /^\d+$/.test(key) ? at[Number(key)] : undefined;
    else at = isPlainObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

function parseUrl(reference: string, base: string): URL {
  const url = URL.parse(reference, base);
  if (url === null) throw new MappingError(`reference ${reference} is not a URI`);
  return url;
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    // A stray percent sign stands for itself.
    return fragment;
  }
}

const arrayKeywords: readonly (readonly [string, Keyword])[] = [
  ["items", compileItems],
  ["minItems", countOf(itemsOf, "minItems", (length, least) => length >= least)],
  ["maxItems", countOf(itemsOf, "maxItems", (length, most) => length <= most)],
  ["uniqueItems", (unique) => (unique === true ? findRepeated : undefined)],
  ["contains", compileContains],
];

/** Returns the check of a whole schema. Throws a `MappingError` if the schema is invalid. */
export function compileSchema(schema: PlainJson): Check {
  const references = createReferences(schema);
  const known = new Map<PlainJson, Check>();
  return compileAt(schema, rootBase, { references, known, refersAlone: !isLaterDraft(schema) });
}

interface Compiling {
  readonly references: SchemaReferences;
  /** Compiled checks. A schema that refers to itself is compiled once, and checks each value once. */
  readonly known: Map<PlainJson, Check>;
  /** Whether `$ref` makes the other keywords beside it void, as up to draft 7. */
  readonly refersAlone: boolean;
}

const passes: Check = () => undefined;

function compileAt(schema: PlainJson, outer: string, compiling: Compiling): Check {
  if (schema === true) return passes;
  if (schema === false)
    return (_, path, faults) => faults.push({ keyword: "false schema", path, detail: null });
  if (!isPlainObject(schema)) throw new MappingError("schema is invalid");
  const present = compiling.known.get(schema);
  if (present !== undefined) return present;
  let checks: readonly Check[] = [];
  const reference = typeof schema.$ref === "string" ? schema.$ref : undefined;
  const isReference = reference !== undefined && compiling.refersAlone;
  const wanted = isReference || !Object.hasOwn(schema, "type") ? undefined : schema.type;
  const check: Check = (value, path, faults) => {
    if (faults.isFull()) return;
    if (wanted !== undefined && !isOfTypes(value, wanted)) {
      faults.push({ keyword: "type", path, detail: wanted, given: value });
      return;
    }
    for (const each of checks) each(value, path, faults);
    if (!isReference) faults.countGroups(value);
  };
  compiling.known.set(schema, judgedOnce(check));
  const base = compiling.references.baseOf(schema, outer);
  const context = { schema, compile: (inner: PlainJson) => compileAt(inner, base, compiling) };
  refuseUnknown(schema);
  const referred = reference === undefined ? [] : [compileReference(reference, base, compiling)];
  const own = isReference ? [] : keywords;
  checks = [...referred, ...own.flatMap(([name, keyword]) => compileKeyword(name, keyword, context))];
  return check;
}

/** Whether a schema declares a draft after draft 7. */
function isLaterDraft(schema: PlainJson): boolean {
  const dialect = isPlainObject(schema) ? schema.$schema : undefined;
  return typeof dialect === "string" && dialect.includes("/draft/");
}

const dialects = /^https?:\/\/json-schema\.org\/(?:draft(?:-0[467]|\/2019-09|\/2020-12)\/)?schema#?$/;

/** Throws for what these drafts cannot resolve: ignoring it would check a value against less than the schema says. */
function refuseUnknown({ $dynamicRef, $recursiveRef, $schema }: Readonly<Record<string, PlainJson>>): void {
  const reference = $dynamicRef ?? $recursiveRef;
  if (typeof reference === "string")
    throw new MappingError(`reference ${reference} leads to nothing in the schema`);
  if (typeof $schema === "string" && !dialects.test($schema))
    throw new MappingError(`the dialect ${$schema} is unknown`);
}

function compileReference(reference: string, base: string, compiling: Compiling): Check {
  const target = compiling.references.resolve(reference, base);
  return compileAt(target.schema, target.base, compiling);
}

function compileKeyword(name: string, keyword: Keyword, context: KeywordContext): readonly Check[] {
  const value = Object.hasOwn(context.schema, name) ? context.schema[name] : undefined;
  const check = value === undefined ? undefined : keyword(value, context);
  return check === undefined ? [] : [check];
}

const combining: readonly (readonly [string, Keyword])[] = [
  ["anyOf", (value, { compile }) => compileAlternatives("anyOf", listOf(value, compile))],
  ["oneOf", (value, { compile }) => compileAlternatives("oneOf", listOf(value, compile))],
  ["allOf", compileAll],
  ["not", compileNot],
  ["dependencies", compileDependencies],
  ["if", compileIf],
];

/** The keywords, in the order in which faults are reported. The type comes first, and is reported alone. */
const keywords = /* @__PURE__ */ [
  ...combining,
  ...numberKeywords,
  ...arrayKeywords,
  ...objectKeywords,
  ...commonKeywords,
  ...textKeywords,
  ["properties", compileProperties] as const,
];

/** Compiles alternatives. If a value passes none, the faults of the nearest one are reported. */
function compileAlternatives(keyword: "anyOf" | "oneOf", checks: readonly Check[]): Check {
  return (value, path, faults) => {
    let [passed, nearest] = [0, undefined as Faults | undefined];
    for (const check of checks) {
      const own = faultsOf(check, value, path);
      if (own.all.length === 0) passed++;
      else if (nearest === undefined || own.score > nearest.score) nearest = own;
      if (keyword === "anyOf" && passed > 0) return;
    }
    if (passed === 1) return;
    faults.push({ keyword, path, detail: null });
    if (passed === 0 && nearest !== undefined) faults.merge(nearest);
  };
}

function compileAll(value: PlainJson, { compile }: KeywordContext): Check {
  const checks = listOf(value, compile);
  return (given, path, faults) => {
    const all = checks.map((check) => faultsOf(check, given, path));
    for (const each of all) faults.merge(each);
    if (all.some((each) => each.all.length > 0)) faults.push({ keyword: "allOf", path, detail: null });
  };
}

function compileNot(value: PlainJson, { compile }: KeywordContext): Check {
  const check = compile(value);
  return refuse("not", null, (given) => !meets(check, given));
}

function listOf(value: PlainJson, compile: KeywordContext["compile"]): readonly Check[] {
  if (!Array.isArray(value)) throw new MappingError("schema is invalid");
  return value.map(compile);
}

function compileIf(value: PlainJson, { schema, compile }: KeywordContext): Check {
  const condition = compile(value);
  const { then: yes = true, else: no = true } = schema;
  const [met, unmet] = [compile(yes), compile(no)];
  return (given, path, faults) => {
    const keyword = meets(condition, given) ? "then" : "else";
    const own = faultsOf(keyword === "then" ? met : unmet, given, path);
    if (own.all.length === 0) return;
    faults.push({ keyword, path, detail: null });
    faults.merge(own);
  };
}

/** `items`: one schema for all elements, or schemas for the first elements and `additionalItems` for the rest. */
function compileItems(items: PlainJson, { schema, compile }: KeywordContext): Check {
  const isList = Array.isArray(items);
  const first = isList ? items.map(compile) : [];
  const additional = isList ? (schema.additionalItems ?? true) : items;
  const rest = compile(additional);
  const isClosed = isList && first.length > 0 && additional === false;
  return (value, path, faults) => {
    if (!Array.isArray(value)) return;
    for (const [index, element] of value.entries()) {
      const check = first[index] ?? (isClosed ? undefined : rest);
      check?.(element, [...path, String(index)], faults);
    }
    if (isClosed && value.length > first.length)
      faults.push({ keyword: "additionalItems", path, detail: first.length });
  };
}

function compileContains(wanted: PlainJson, { compile }: KeywordContext): Check {
  const check = compile(wanted);
  return (value, path, faults) => {
    if (!Array.isArray(value)) return;
    let nearest: Faults | undefined;
    for (const [index, element] of value.entries()) {
      const own = faultsOf(check, element, [...path, String(index)]);
      if (own.all.length === 0) return;
      if (nearest === undefined || own.score > nearest.score) nearest = own;
    }
    faults.push({ keyword: "contains", path, detail: null });
    if (nearest !== undefined) faults.merge(nearest);
  };
}
