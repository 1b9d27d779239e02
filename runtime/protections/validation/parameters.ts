// Reads the parameters of requests as OpenAPI describes them: as texts, and lists and objects of texts, which the
// schema then converts to numbers.

import querystring from "node:querystring";
import type { Call } from "../../http/call.ts";
import { isOfConnection, namedIn } from "../../http/connection-fields.ts";
import { readName } from "../../http/incoming/overrides.ts";
import { requestIdOf } from "../../http/request-origin.ts";
import { trimmed } from "../../text/trim.ts";
import { type RequestFault, shortened } from "./check.ts";
import { parseStrictJson } from "./strict-json.ts";

/** How a parameter is written (OpenAPI, "Style Values"). */
export type Style =
  | "simple"
  | "label"
  | "matrix"
  | "form"
  | "spaceDelimited"
  | "pipeDelimited"
  | "deepObject"
  /** A JSON document instead of a text: `content` instead of `schema`. */
  | "json";

/** A declared parameter. */
export interface ParameterRule {
  readonly in: "path" | "query" | "header" | "cookie";
  readonly name: string;
  readonly style: Style;
  readonly explode: boolean;
  readonly shape: "text" | "list" | "object";
  /**
   * The fields of an object: an exploded object has them as separate query parameters. Of a `deepObject`, those that are no
   * objects.
   */
  readonly fields?: readonly string[];
}

/** A value as it was written. */
export type WrittenParameter = string | readonly string[] | WrittenObject;

/** Only a `deepObject` has objects within. */
export interface WrittenObject {
  readonly [name: string]: string | WrittenObject;
}

/** Values by place and name: `{ query: { limit: "5" } }`. Without a prototype, because documents choose the names. */
export type Values = Record<ParameterRule["in"], Record<string, unknown>>;

/** The parts of a request that contain parameters. */
export interface Sources {
  /** Path parameters by name, as they were sent. */
  readonly path: ReadonlyMap<string, string>;
  /** Query parameters in order; values are decoded later, because an escaped separator does not separate. */
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly cookies: readonly (readonly [name: string, value: string])[];
  readonly header: (name: string) => string | undefined;
  /** Whether the field ends at the gateway, because `Connection` names it: an upstream would not receive it. */
  readonly isOfConnection: (name: string) => boolean;
  /** Whether another field exists that servers may take for this one, such as `X_Tenant` for `X-Tenant`. */
  readonly isSpelledTwice: (name: string) => boolean;
}

/** Returns the parts of a request that contain parameters. */
export function sourcesOf(call: Pick<Call, "request" | "query">, path: ReadonlyMap<string, string>): Sources {
  const { headers } = call.request;
  let others: readonly string[] | undefined;
  return {
    path,
    query: pairsOf(call.query.slice(1), "&").map(([name, value]) => [decodeQuery(name), value]),
    cookies: pairsOf(headers.cookie ?? "", ";"),
    header(name) {
      const own = name.toLowerCase();
      const value = own === "x-request-id" ? requestIdOf(call.request) : headers[own];
      return typeof value === "object" ? value.join(", ") : value;
    },
    isOfConnection: (name) => isOfConnection(name.toLowerCase(), namedIn(headers.connection)),
    isSpelledTwice(name) {
      const [own, read] = [name.toLowerCase(), readName(name.toLowerCase())];
      others ??= Object.keys(headers).filter((each) => readName(each) !== each);
      const rivals = own === read ? others : [...others, read];
      return rivals.some((each) => each !== own && Object.hasOwn(headers, each) && readName(each) === read);
    },
  };
}

/**
 * Returns the values of all parameters, the faults of those that cannot be read, and the pointers of those that are JSON,
 * whose types are their own.
 */
export function readParameters(
  parameters: readonly ParameterRule[],
  sources: Sources,
): { readonly values: Values; readonly faults: readonly RequestFault[]; readonly exact: readonly string[] } {
  const faults: RequestFault[] = [];
  const exact: string[] = [];
  const values: Values = { path: bare(), query: bare(), header: bare(), cookie: bare() };
  const bracketed = bracketedNames(parameters, sources);
  for (const parameter of parameters) {
    const read = readParameter(parameter, sources, bracketed);
    if (read instanceof Unreadable) {
      faults.push({ pointer: `/${parameter.in}/${parameter.name}`, reason: read.reason });
    } else if (read !== undefined) {
      values[parameter.in][parameter.name] = read;
      if (parameter.style === "json") exact.push(`/${parameter.in}/${parameter.name}`);
    }
  }
  return { values, faults, exact };
}

/** Returns the pointer of the parameter whose value is nested deepest. */
export function pointerOfDeepest(values: Values): string {
  let level = Object.entries(values).flatMap(([place, own]) =>
    Object.entries(own).map(([name, value]) => ({ pointer: `/${place}/${name}`, value })),
  );
  // Level by level, as values may nest deeper than the call stack.
  for (;;) {
    const inner = level.flatMap(({ pointer, value }) =>
      typeof value === "object" && value !== null
        ? Object.values(value).map((each) => ({ pointer, value: each as unknown }))
        : [],
    );
    if (inner.length === 0) return level[0]?.pointer ?? "";
    level = inner;
  }
}

/** The reason why a name with brackets is refused. */
export const otherSpelling = "is given in another spelling";
const ofConnection = "is named in `Connection`";

/** A value that does not have the form of its style. */
class Unreadable {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

/** Returns the names with brackets in the query that no parameter has. */
function bracketedNames(parameters: readonly ParameterRule[], { query }: Sources): readonly string[] {
  return query
    .map(([name]) => name)
    .filter(
      (name) => name.includes("[") && !parameters.some((each) => each.in === "query" && each.name === name),
    );
}

/**
 * Whether the query has a name that many servers take for a parameter: with brackets (`limit[]` for `limit`), without
 * those of a `deepObject`, or with others than its own.
 */
function isSpelledOtherwise(
  { name, style, shape, explode, fields = [] }: ParameterRule,
  { query }: Sources,
  bracketed: readonly string[],
): boolean {
  if (style === "deepObject")
    return query.some(
      ([each]) =>
        each === name || (each.startsWith(`${name}[`) && isOddField(each.slice(name.length + 1), fields)),
    );
  const own = shape === "object" && explode && style === "form" ? fields : [name];
  return bracketed.some((each) => isBracketed(each, own));
}

/** Whether a name is one of `names` with brackets. */
export function isBracketed(name: string, names: readonly string[]): boolean {
  return names.some((each) => name.startsWith(`${each}[`));
}

/**
 * Whether servers read the rest of a name after `filter[` in different ways, as `filter[a]b]` and `filter[a`, or as an
 * object in place of one of `fields`: `filter[a][$ne]`.
 */
function isOddField(rest: string, fields: readonly string[]): boolean {
  const path = fieldPath(rest);
  return path === undefined || (path.length > 1 && fields.includes(path[0] ?? ""));
}

/** Returns the names in the rest of a name after `filter[`: of `a][b]`, `a` and `b`. */
function fieldPath(rest: string): readonly string[] | undefined {
  const path = rest.endsWith("]") ? rest.slice(0, -1).split("][") : [""];
  return path[0] === "" || path.some((each) => /[[\]]/.test(each)) ? undefined : path;
}

function readParameter(parameter: ParameterRule, sources: Sources, bracketed: readonly string[]): unknown {
  const { name, style, shape, explode } = parameter;
  switch (parameter.in) {
    case "path": {
      const text = sources.path.get(name);
      return text === undefined ? undefined : decoded(parameter, text, decodeText);
    }
    case "header": {
      if (sources.isSpelledTwice(name)) return new Unreadable(otherSpelling);
      const text = sources.header(name);
      if (text === undefined) return undefined;
      if (sources.isOfConnection(name)) return new Unreadable(ofConnection);
      return decoded(parameter, text, trim);
    }
    case "cookie":
    case "query": {
      const decode = parameter.in === "query" ? decodeQuery : decodeText;
      const pairs = parameter.in === "query" ? sources.query : sources.cookies;
      if (parameter.in === "query" && isSpelledOtherwise(parameter, sources, bracketed))
        return new Unreadable(otherSpelling);
      if (parameter.in === "cookie" && pairs.length > 0 && sources.isOfConnection("cookie"))
        return new Unreadable(ofConnection);
      if (style === "deepObject") return deepObject(name, pairs, decode);
      if (shape === "object" && explode && style === "form") return fieldsAmong(parameter, pairs, decode);
      const own = pairs.filter((pair) => pair[0] === name).map(([, value]) => value);
      if (own.length === 0) return undefined;
      if (shape === "list" && explode && style !== "json") return own.map(decode);
      // Servers differ in which of several values they use.
      if (own.length > 1) return new Unreadable("is given more than once");
      return decoded(parameter, own[0] ?? "", decode);
    }
  }
}

type Decode = (text: string) => string;

/** Reads the value of one text; separators are found before anything is decoded. */
function decoded(parameter: ParameterRule, text: string, decode: Decode): unknown {
  const { style, shape, name } = parameter;
  if (style === "json") return parseJson(decode(text));
  const prefix = style === "label" ? "." : style === "matrix" ? ";" : "";
  if (!text.startsWith(prefix)) return new Unreadable(`does not begin with \`${prefix}\``);
  const bodyText = text.slice(prefix.length);
  if (style === "matrix") return matrix(parameter, bodyText, decode);
  if (shape === "text") return decode(bodyText);
  return listed(parameter, bodyText, separatorOf(parameter), decode, name);
}

function separatorOf({ style, explode }: ParameterRule): RegExp {
  if (style === "spaceDelimited") return /%20|\+| /;
  if (style === "pipeDelimited") return /\||%7c/i;
  return style === "label" && explode ? /\./ : /,/;
}

function listed(
  { shape, explode }: ParameterRule,
  text: string,
  separator: RegExp,
  decode: Decode,
  name: string,
): WrittenParameter | Unreadable {
  const items = text === "" ? [] : text.split(separator);
  if (shape === "list") return items.map(decode);
  if (explode) return objectOf(items.map(splitPair).map((pair) => decodedPair(pair, decode)));
  if (items.length % 2 !== 0) return new Unreadable(`has a name without a value in \`${name}\``);
  return objectOf(
    Array.from({ length: items.length / 2 }, (_, index) =>
      decodedPair([items[2 * index] ?? "", items[2 * index + 1] ?? ""], decode),
    ),
  );
}

/** Reads `color=blue`, `color=blue,black`, `color=blue;color=black` or `R=100;G=200`, after the first `;`. */
function matrix(parameter: ParameterRule, text: string, decode: Decode): WrittenParameter | Unreadable {
  const { name, shape, explode } = parameter;
  const pairs = pairsOf(text, ";");
  if (shape === "object" && explode) return objectOf(pairs.map((pair) => decodedPair(pair, decode)));
  const own = pairs.filter((pair) => pair[0] === name).map(([, value]) => value);
  if (own.length === 0) return new Unreadable(`does not name \`${name}\``);
  if (shape === "list" && explode) return own.map(decode);
  const [first = ""] = own;
  return shape === "text"
    ? decode(first)
    : listed({ ...parameter, explode: false }, first, /,/, decode, name);
}

/** Reads `filter[a]=1&filter[b][c]=2`. */
function deepObject(
  name: string,
  pairs: readonly (readonly [string, string])[],
  decode: Decode,
): WrittenObject | Unreadable | undefined {
  const own = pairs.filter(([key]) => key.startsWith(`${name}[`));
  if (own.length === 0) return undefined;
  const whole = bare<string | Nested>();
  for (const [key, value] of own) {
    const path = fieldPath(key.slice(name.length + 1)) ?? [];
    const last = path.at(-1) ?? "";
    let object: Nested | undefined = whole;
    for (const each of path.slice(0, -1)) object = object === undefined ? undefined : within(object, each);
    if (object === undefined || last in object) return givenTwice(path.join("]["));
    object[last] = decode(value);
  }
  return whole;
}

interface Nested {
  [name: string]: string | Nested;
}

/** Returns the object in a field, which is created if the field is absent; `undefined` if the field has a text. */
function within(object: Nested, name: string): Nested | undefined {
  object[name] ??= bare<string | Nested>();
  const value = object[name];
  return typeof value === "string" ? undefined : value;
}

function fieldsAmong(
  { fields = [] }: ParameterRule,
  pairs: readonly (readonly [string, string])[],
  decode: Decode,
): WrittenParameter | Unreadable | undefined {
  const own = pairs.filter(([name]) => fields.includes(name));
  return own.length === 0 ? undefined : objectOf(own.map(([name, value]) => [name, decode(value)]));
}

function decodedPair([name, value]: readonly [string, string], decode: Decode): readonly [string, string] {
  return [decode(name), decode(value)];
}

/** Builds an object of decoded pairs; refuses repeated fields, as servers differ in which one they use. */
function objectOf(pairs: readonly (readonly [string, string])[]): Record<string, string> | Unreadable {
  const object = bare<string>();
  for (const [name, value] of pairs) {
    if (name in object) return givenTwice(name);
    object[name] = value;
  }
  return object;
}

function givenTwice(name: string): Unreadable {
  return new Unreadable(`has \`${shortened(name)}\` more than once`);
}

function parseJson(text: string): unknown {
  const read = parseStrictJson(text);
  return "reason" in read ? new Unreadable(read.reason) : read.parsed;
}

function pairsOf(text: string, separator: string): readonly (readonly [string, string])[] {
  return text
    .split(separator)
    .map(trim)
    .filter((part) => part !== "")
    .map(splitPair);
}

function splitPair(text: string): readonly [string, string] {
  const at = text.indexOf("=");
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** Removes blanks around items of a header (RFC 9110, section 5.6.3): others are part of the value for its readers. */
function trim(text: string): string {
  return trimmed(text, " \t");
}

function decodeQuery(text: string): string {
  return decodeText(text.replaceAll("+", " "));
}

/**
 * Decodes a text. Beside invalid escapes and bytes that are not UTF-8, it still decodes the others, as the WHATWG query
 * parser and most servers do: otherwise one of them would hide what the schema forbids.
 */
function decodeText(text: string): string {
  return querystring.unescape(text);
}

function bare<T>(): Record<string, T> {
  return Object.create(null); // typed as any by the library
}
