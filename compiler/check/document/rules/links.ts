// Rules about links between operations and about callbacks: the operations to which they lead, and the values that their
// runtime expressions read.

import type { Report } from "../../../diagnostics/sink.ts";
import { isSlip, suggest } from "../../../diagnostics/suggest.ts";
import type { ApiModel } from "../../../model/api.ts";
import {
  callbacksOf,
  contentOf,
  headersOf,
  linksOf,
  readLink,
  requestBodyOf,
  responsesOf,
  writtenOperationId,
} from "../../../model/operation-parts.ts";
import {
  type DeclaredOperation,
  type DeclaredParameter,
  type DeclaredPath,
  declaredOperations,
} from "../../../model/operations.ts";
import { verbKeys } from "../../../model/path-items.ts";
import { SchemaModel } from "../../../model/schema-model.ts";
import { entriesOf } from "../../../model/written.ts";
import type { Span } from "../../../source/source.ts";
import { type DocumentNode, findText, type MapEntry } from "../../../trees/document.ts";
import { textHolds } from "../../../trees/document-text.ts";
import { escapeKey, parseReference, unescapeKey } from "../../../trees/pointer.ts";
import { findContentSchema } from "../../flow/declared-schemas.ts";
import { propertiesOf } from "./discriminators.ts";

const linksWord = /\blinks\b/;
const callbacksWord = /\bcallbacks\b/;

/** Reports links between operations that lead to no operation, or set a parameter that the operation does not have. */
export function checkLinks(api: ApiModel, report: Report): void {
  const { references, root } = api;
  // Links are rare, and reading all responses of a large document takes time.
  if (references.isWithinDocument && !textHolds(root, linksWord)) return;
  const targets = linkTargets(api);
  const found = new Set(api.namedLinks.map(({ value }) => value));
  const reported = new Set<DocumentNode>();
  const known = parametersByOperation(api);
  for (const operation of declaredOperations(api)) {
    const parameters = known.get(operation);
    for (const response of responsesOf(operation, references)) {
      for (const { value } of linksOf(response.value, references)) {
        found.add(value);
        const link = references.resolve(value);
        const source = { operation, parameters, response: references.resolve(response.value) };
        if (link !== undefined) checkValuesOfLink(link, source, reported, api, report);
      }
    }
  }
  for (const link of new Set([...found].flatMap((each) => references.resolve(each) ?? [])))
    checkLink(link, targets, known, api, report);
}

/** Reports callbacks whose address reads something that the request does not have. */
export function checkCallbacks(api: ApiModel, report: Report): void {
  const { references, root } = api;
  if (references.isWithinDocument && !textHolds(root, callbacksWord)) return;
  const reported = new Set<DocumentNode>();
  const known = parametersByOperation(api);
  for (const operation of declaredOperations(api)) {
    const source = { operation, parameters: known.get(operation), response: undefined };
    for (const callback of callbacksOf(operation, references)) {
      const address = references.resolve(callback.value);
      if (address === undefined || reported.has(address)) continue;
      reported.add(address);
      for (const { key, keySpan } of entriesOf(address))
        if (!key.startsWith("x-") && key !== "$ref") checkExpressions(key, keySpan, source, api, report);
    }
  }
}

/** Returns the operations of paths by their ids, and those of webhooks and callbacks without more. */
function linkTargets(api: ApiModel): ReadonlyMap<string, DeclaredOperation | undefined> {
  const targets = new Map<string, DeclaredOperation | undefined>();
  for (const operation of declaredOperations(api))
    targets.set(findText(writtenOperationId(operation)) ?? "", undefined);
  for (const path of api.paths)
    for (const operation of path.operations().values()) targets.set(operation.id() ?? "", operation);
  targets.delete("");
  return targets;
}

function checkLink(
  link: DocumentNode,
  targets: ReadonlyMap<string, DeclaredOperation | undefined>,
  known: ReadonlyMap<DocumentNode, KnownParameters>,
  api: ApiModel,
  report: Report,
): void {
  const { operationId: written, operationRef: place, parameters } = readLink(link);
  const [id, reference] = [findText(written), findText(place)];
  if (written !== undefined && id !== undefined && !targets.has(id)) {
    report("GW4284", written.span, { fault: "id", name: id, closest: suggest(id, [...targets.keys()]) });
  } else if (place !== undefined && reference?.startsWith("#") === true) {
    const parsed = parseReference(reference);
    const keys = parsed.kind === "place" && typeof parsed.place !== "string" ? parsed.place : [];
    const isFound = verbKeys.has(keys.at(-1) ?? "") && api.references.find(api.root, ...keys) !== undefined;
    if (!isFound) {
      const known = api.paths.flatMap((path) =>
        Array.from(path.operations().keys(), (verb) => pointerOf(path, verb)),
      );
      report("GW4284", place.span, {
        fault: "reference",
        name: reference,
        closest: suggest(reference, known),
      });
    }
  } else if (id !== undefined) {
    const target = targets.get(id);
    const declared = target && known.get(target.node);
    if (declared !== undefined) checkParametersOfLink(parameters, declared, id, report);
  }
}

function pointerOf({ path }: DeclaredPath, verb: string): string {
  return `#/paths/${escapeKey(path)}/${verb.toLowerCase()}`;
}

function checkParametersOfLink(
  parameters: readonly MapEntry[],
  { keys, names }: KnownParameters,
  id: string,
  report: Report,
): void {
  for (const { key, keySpan } of parameters) {
    if (!keys.has(key))
      report("GW4284", keySpan, {
        fault: "parameter",
        name: key,
        operation: id,
        closest: suggest(key, names),
      });
  }
}

/** What runtime expressions read: an operation with the parameters of its path, and one of its responses. */
interface ExpressionSource {
  readonly operation: DocumentNode;
  /** `undefined` if not all of them are known. */
  readonly parameters: KnownParameters | undefined;
  readonly response: DocumentNode | undefined;
}

/** The parameters of an operation and its path. */
interface KnownParameters {
  readonly names: readonly string[];
  /** The names by the place of the parameter, such as `query`. */
  readonly namesIn: ReadonlyMap<string | undefined, readonly string[]>;
  /** The names, and `path.id`, which tells parameters of one name apart. */
  readonly keys: ReadonlySet<string>;
}

/** Returns the parameters that apply to each operation of a path, if all of their names are known. */
function parametersByOperation({ paths }: ApiModel): ReadonlyMap<DocumentNode, KnownParameters> {
  const found = new Map<DocumentNode, KnownParameters>();
  for (const path of paths) {
    for (const operation of path.operations().values()) {
      const known = knownParameters([...path.parameters(), ...operation.parameters()]);
      if (known !== undefined) found.set(operation.node, known);
    }
  }
  return found;
}

function knownParameters(declared: readonly DeclaredParameter[]): KnownParameters | undefined {
  const names = declared.flatMap(({ name }) => name ?? []);
  // A reference without a target, which is reported, may hide a name.
  if (names.length < declared.length) return undefined;
  const places = Map.groupBy(declared, (each) => each.in);
  return {
    names,
    namesIn: new Map(Array.from(places, ([place, each]) => [place, each.flatMap(({ name }) => name ?? [])])),
    keys: new Set([...names, ...declared.map((each) => `${each.in}.${each.name}`)]),
  };
}

function checkValuesOfLink(
  link: DocumentNode,
  source: ExpressionSource,
  reported: Set<DocumentNode>,
  api: ApiModel,
  report: Report,
): void {
  const { parameters, requestBody } = readLink(link);
  for (const value of [...parameters.map((each) => each.value), requestBody]) {
    const text = findText(value);
    if (value === undefined || text === undefined || reported.has(value)) continue;
    reported.add(value);
    checkExpressions(text, value.span, source, api, report);
  }
}

/** Reports the runtime expressions in a text, or the one that it is, which read nothing. */
function checkExpressions(
  text: string,
  span: Span,
  source: ExpressionSource,
  api: ApiModel,
  report: Report,
): void {
  const inner = Array.from(text.matchAll(/\{([^{}]*)\}/g), ([, each = ""]) => each).filter(
    (each) => each.startsWith("$") || withoutDollar.test(each),
  );
  for (const expression of /^\$[A-Za-z][^\s{}]*$/.test(text) || withoutDollar.test(text) ? [text] : inner) {
    const fault = faultOf(expression, source, api);
    if (fault !== undefined) report("GW4286", span, { expression, ...fault });
  }
}

/** An expression that lacks its first character. */
const withoutDollar = /^(?:request|response)\.(?:header\.|query\.|path\.|body#?)/;

const wholes: readonly string[] = ["$url", "$method", "$statusCode"];

interface ExpressionFault {
  /** What does not exist; absent if the expression has another form. */
  readonly lacking?: string;
  readonly closest: string | undefined;
}

function faultOf(expression: string, source: ExpressionSource, api: ApiModel): ExpressionFault | undefined {
  if (wholes.includes(expression)) return undefined;
  if (!expression.startsWith("$")) return { closest: `$${expression}` };
  const [, side = "", rest = ""] = /^\$(request|response)\.(.+)$/.exec(expression) ?? [];
  const [, place, name = ""] = /^(header|query|path)\.(.+)$/.exec(rest) ?? [];
  if (place !== undefined) return faultOfName({ side, place, name, expression }, source, api);
  const [, pointer] = /^body(?:#(\/.*)?)?$/.exec(rest) ?? [];
  if (rest.startsWith("body") && (pointer !== undefined || /^body#?$/.test(rest))) {
    const keys = (pointer ?? "").split("/").slice(1).map(unescapeKey);
    return faultOfPointer(expression, keys, bodySchema(side, source, api), api);
  }
  if (rest.startsWith("body/")) return { closest: expression.replace("body/", "body#/") };
  const forms =
    side === "" ? [...wholes, "$request", "$response"] : sources.map((each) => `$${side}.${each}`);
  const [written = ""] = (side === "" ? /^\$[A-Za-z]*/ : /^\$\w+\.[A-Za-z]*/).exec(expression) ?? [];
  const near = suggest(written, forms);
  const isMeant = near !== undefined && near !== written;
  return { closest: isMeant ? expression.replace(written, () => near) : undefined };
}

const sources: readonly string[] = ["header", "query", "path", "body"];

interface NamedSource {
  readonly side: string;
  readonly place: string;
  readonly name: string;
  readonly expression: string;
}

/** OpenAPI requires parameters of the request to be declared. Headers of a response need not be. */
function faultOfName(
  { side, place, name, expression }: NamedSource,
  { parameters, response }: ExpressionSource,
  { references }: ApiModel,
): ExpressionFault | undefined {
  const isRequest = side === "request";
  const isHeader = place === "header";
  if (!isRequest && !isHeader) return undefined;
  const declared = isRequest
    ? parameters && (parameters.namesIn.get(place) ?? [])
    : headersOf(response, references).map(({ key }) => key);
  const isSame = (each: string) => (isHeader ? each.toLowerCase() === name.toLowerCase() : each === name);
  if (declared === undefined || declared.some(isSame)) return undefined;
  const near = suggest(name, declared);
  const closest = near === undefined ? undefined : expression.slice(0, -name.length) + near;
  // Headers that HTTP defines need no declaration.
  if (isHeader && (near === undefined || !isSlip(name, near))) return undefined;
  return { lacking: isHeader ? `header \`${name}\`` : `${place} parameter \`${name}\``, closest };
}

function bodySchema(
  side: string,
  { operation, response }: ExpressionSource,
  { references }: ApiModel,
): DocumentNode | undefined {
  const content =
    side === "request" ? requestBodyOf(operation, references)?.content : contentOf(response, references);
  return findContentSchema(content, /[/+]json\b/, "schema");
}

/** Follows a pointer through a schema. A name that an open schema lacks must resemble one that it has. */
function faultOfPointer(
  expression: string,
  keys: readonly string[],
  schema: DocumentNode | undefined,
  api: ApiModel,
): ExpressionFault | undefined {
  let at = schema && api.references.resolve(schema);
  for (const [index, key] of keys.entries()) {
    const names = at && propertiesOf(at, api);
    if (at === undefined || names === undefined) return undefined;
    if (!names.has(key)) {
      const near = suggest(key, names);
      if (!new SchemaModel(at).refusesOthers && (near === undefined || !isSlip(key, near))) return undefined;
      const start = expression.slice(0, expression.indexOf("#") + 1);
      const written = near && keys.with(index, near).map((each) => `/${escapeKey(each)}`);
      return { lacking: `field \`${key}\``, closest: written && start + written.join("") };
    }
    const property = new SchemaModel(at).property(key);
    at = property && api.references.resolve(property);
  }
  return undefined;
}
