// Fragments of TypeScript, composed of text, data and other fragments. They are rendered as formatted text together
// with the list of their imports. Plain values in a `code` template are data and are quoted; only fragments are code.

import { invariant } from "../diagnostics/invariant.ts";
import type { RuntimeLink } from "../plan/plan.ts";

/** An export of another module, which a fragment uses by name. */
export interface Link {
  /**
   * Module path below the package, `runtime/mapping/strings.ts`; of another package, `package:@acme/lines/input.ts`.
   */
  readonly module: string;
  readonly symbol: string;
  /** The name in the emitted file: `symbol` itself except for other packages. */
  readonly local: string;
  readonly typeOnly: boolean;
  /** Returns the exports of the module in this process, if it belongs to another package. */
  readonly load?: () => Readonly<Record<string, unknown>>;
}

/** The prefix of the modules of other packages. */
export const packagePrefix = "package:";

/** A piece of TypeScript. Only the functions of this file create it. */
export interface Code {
  readonly parts: readonly Part[];
}

/** The parts of a fragment; `render.ts` lays them out. */
export type Part =
  | string
  | { readonly kind: "link"; readonly link: Link }
  /** A line break, or `flat` inside a group that fits on its line. `hard` always breaks. */
  | { readonly kind: "break"; readonly flat: string; readonly hard: boolean }
  | { readonly kind: "group"; readonly parts: readonly Part[] }
  | { readonly kind: "indent"; readonly parts: readonly Part[] }
  /** Text that appears only if the enclosing group is broken over lines, such as a trailing comma. */
  | { readonly kind: "whenBroken"; readonly text: string }
  /** A type annotation, which is left out of JavaScript. */
  | { readonly kind: "annotation"; readonly parts: readonly Part[] }
  | SharedPart;

/**
 * Parts that several fragments contain, which are laid out once for each indentation: nothing before their first hard
 * break can be broken, and another hard break follows them or ends them.
 */
export interface SharedPart {
  readonly kind: "shared";
  readonly parts: readonly Part[];
}

/** Values that a `code` template accepts in addition to fragments: data, written as literals. */
type Embeddable =
  | string
  | number
  | bigint
  | boolean
  | null
  | undefined
  | readonly Embeddable[]
  | { readonly [key: string]: Embeddable };

/** The private field distinguishes fragments from data, at a tenth of the cost of a set of all fragments. */
class Fragment implements Code {
  readonly #made = true;
  readonly parts: readonly Part[];

  constructor(parts: readonly Part[]) {
    this.parts = parts;
  }

  static isOne(value: object): boolean {
    return #made in value;
  }
}

/** A possible line break, otherwise a blank. */
export const softBreak: Part = { kind: "break", flat: " ", hard: false };
/** A possible line break, otherwise nothing. */
export const tightBreak: Part = { kind: "break", flat: "", hard: false };
/** A line break. */
export const hardBreak: Part = { kind: "break", flat: "", hard: true };

/** Returns a fragment of parts, for layout helpers. */
export function fragment(parts: readonly Part[]): Code {
  return new Fragment(parts);
}

/** An empty fragment. */
export const noCode: Code = fragment([]);

/** Whether a value is a fragment. Data with the same shape is not. */
function isCode(value: unknown): value is Code {
  return typeof value === "object" && value !== null && Fragment.isOne(value);
}

/** `` code`const ${name} = ${link}(${options});` ``: inserts fragments as code and quotes all other values as data. */
export function code(texts: TemplateStringsArray, ...values: readonly (Code | Embeddable)[]): Code {
  const parts: Part[] = [];
  const written = textsOf(texts);
  for (let index = 0; index < written.length; index++) {
    pushAll(parts, written[index] ?? []);
    if (index < values.length) {
      const value = values[index];
      pushAll(parts, (isCode(value) ? value : literal(value as Embeddable)).parts);
    }
  }
  return fragment(parts);
}

/** The parts of the texts of templates, which are the same each time that a template is used. */
const knownTexts = new WeakMap<TemplateStringsArray, readonly (readonly Part[])[]>();

function textsOf(texts: TemplateStringsArray): readonly (readonly Part[])[] {
  const known = knownTexts.get(texts) ?? texts.map((text) => raw(text).parts);
  knownTexts.set(texts, known);
  return known;
}

/** Returns code from text that the emitter itself created, such as a fresh name. Never pass text of a document. */
export function raw(text: string): Code {
  const parts: Part[] = [];
  pushText(parts, text);
  return fragment(parts);
}

/** Returns a reference to a symbol of another module. The import is added when the file is assembled. */
export function linkTo(module: string, symbol: string): Code {
  return linkOf(values, module, symbol, false);
}

/** Like `linkTo`, under another name in the emitted code. */
export function linkAs(module: string, symbol: string, local: string): Code {
  return fragment([{ kind: "link", link: { module, symbol, local, typeOnly: false } }]);
}

/** Returns a reference to the link of a descriptor or a builtin, in this package or another. */
export function linkToRuntime({ module, symbol, source }: RuntimeLink): Code {
  if (source === undefined) return linkTo(module, symbol);
  const path = `${packagePrefix}${source.package}/${module}`;
  const load = () => source.load(module);
  const link: Link = { module: path, symbol, local: source.local, typeOnly: false, load };
  return fragment([{ kind: "link", link }]);
}

/** Like `linkTo`, for a type. */
export function linkToType(module: string, symbol: string): Code {
  return linkOf(types, module, symbol, true);
}

/** References to values and types of this package, by module and symbol: a set refers to the same few everywhere. */
const values = new Map<string, Map<string, Code>>();
const types = new Map<string, Map<string, Code>>();

function linkOf(
  known: Map<string, Map<string, Code>>,
  module: string,
  symbol: string,
  typeOnly: boolean,
): Code {
  const ofModule = known.get(module) ?? new Map<string, Code>();
  known.set(module, ofModule);
  const code =
    ofModule.get(symbol) ?? fragment([{ kind: "link", link: { module, symbol, local: symbol, typeOnly } }]);
  ofModule.set(symbol, code);
  return code;
}

/** Returns code that exists in TypeScript only, such as `: Value`. */
export function annotation(type: Code): Code {
  return fragment([{ kind: "annotation", parts: type.parts }]);
}

/** Keeps its content on one line if it fits; otherwise breaks at all its own breaks. */
export function group(...codes: readonly Code[]): Code {
  return fragment([{ kind: "group", parts: codes.flatMap((each) => each.parts) }]);
}

/** Indents lines inside by two more columns. */
export function indent(...codes: readonly Code[]): Code {
  return fragment([{ kind: "indent", parts: codes.flatMap((each) => each.parts) }]);
}

/** Joins fragments with `separator` between them. */
export function join(codes: readonly Code[], separator: Code = noCode): Code {
  const parts: Part[] = [];
  for (const [index, each] of codes.entries()) {
    if (index > 0) pushAll(parts, separator.parts);
    pushAll(parts, each.parts);
  }
  return fragment(parts);
}

/** Appends parts one by one: as spread arguments, those of a long mapping would overflow the call stack. */
function pushAll(parts: Part[], added: readonly Part[]): void {
  for (let index = 0; index < added.length; index++) parts.push(added[index] as Part);
}

/** Returns a fragment for use in several others; see `SharedPart`. */
export function shared(code: Code): Code {
  return fragment([{ kind: "shared", parts: code.parts }]);
}

/** Puts each fragment on its own line. */
function lines(codes: readonly Code[]): Code {
  return join(codes, fragment([hardBreak]));
}

/** Returns `{`, the statements on their own lines, `}`. */
export function block(statements: readonly Code[]): Code {
  if (statements.length === 0) return raw("{}");
  return join([raw("{"), indent(fragment([hardBreak]), lines(statements)), fragment([hardBreak]), raw("}")]);
}

/** Returns `open a, b close`, with one entry per line if they do not fit on one line. */
export function list(
  open: string,
  entries: readonly Code[],
  close: string,
  padding: Part = tightBreak,
): Code {
  if (entries.length === 0) return raw(open + close);
  const separated = join(entries, fragment([",", softBreak]));
  return group(
    raw(open),
    indent(fragment([padding]), separated),
    fragment([{ kind: "whenBroken", text: "," }, padding]),
    raw(close),
  );
}

/** Returns `callee(args)`. A single object or list opens on the line of its call. */
export function call(callee: Code, args: readonly Code[]): Code {
  const [only] = args;
  if (only !== undefined && args.length === 1 && opensBracket(only.parts)) {
    return join([callee, raw("("), only, raw(")")]);
  }
  return join([callee, list("(", args, ")")]);
}

function opensBracket(parts: readonly Part[]): boolean {
  const [first] = parts;
  if (typeof first === "string") return first === "{" || first === "[";
  return first?.kind === "group" && opensBracket(first.parts);
}

/** Returns `{ key: value }`; keys are data. */
export function objectOf(entries: readonly (readonly [key: string, value: Code])[]): Code {
  const written = entries.map(([key, value]) => join([propertyKey(key), raw(": "), value]));
  return list("{", written, "}", softBreak);
}

/** Returns declarations with a blank line between them. */
export function separated(declarations: readonly Code[]): Code {
  return join(declarations, fragment([hardBreak, hardBreak]));
}

/** Returns a line comment. Line breaks in `text` become blanks. */
export function comment(text: string): Code {
  return raw(`// ${text.replace(/[\r\n\u2028\u2029]+/g, " ")}`);
}

/** Returns data as a literal. */
export function literal(value: Embeddable): Code {
  if (typeof value === "string") return raw(quoteText(value));
  if (typeof value === "number") return raw(numberText(value));
  if (typeof value === "bigint") return raw(`${value}n`);
  if (value === null || value === undefined || typeof value === "boolean") return raw(String(value));
  if (Array.isArray(value)) return list("[", value.map(literal), "]");
  return objectOf(Object.entries(value).map(([key, each]) => [key, literal(each)]));
}

/** Returns data as a part of the text of a template literal. */
export function templateText(text: string): Code {
  return raw(quoteTemplate(text));
}

/** Returns `` `text${code}text` ``; texts are data. */
export function templateLiteral(parts: readonly (string | Code)[]): Code {
  const written = parts.map((part) => (typeof part === "string" ? templateText(part) : code`\${${part}}`));
  return join([raw("`"), ...written, raw("`")]);
}

/** Returns the imports of a fragment, each once. A symbol that is used as a value is not listed as a type as well. */
export function linksOf(given: Code): readonly Link[] {
  return linksIn([given]);
}

/** Returns the imports of all fragments, as `linksOf` does. */
export function linksIn(given: readonly Code[]): readonly Link[] {
  const met = new Set<Link | SharedPart>();
  for (const { parts } of given) collectLinks(parts, met);
  const found = new Map<string, Link>();
  for (const each of met) if (!("kind" in each)) found.set(keyOf(each, each.typeOnly), each);
  return [...found.values()].filter((link) => !link.typeOnly || !found.has(keyOf(link, false)));
}

function keyOf({ module, symbol }: Link, typeOnly: boolean): string {
  return `${module} ${symbol} ${typeOnly}`;
}

function collectLinks(parts: readonly Part[], met: Set<Link | SharedPart>): void {
  for (const part of parts) {
    if (typeof part === "string") continue;
    if (part.kind === "link") met.add(part.link);
    else if (part.kind === "shared") {
      if (met.has(part)) continue;
      met.add(part);
      collectLinks(part.parts, met);
    } else if ("parts" in part) collectLinks(part.parts, met);
  }
}

function pushText(parts: Part[], text: string): void {
  if (!text.includes("\n")) {
    if (text !== "") parts.push(text);
    return;
  }
  for (const [index, line] of text.split("\n").entries()) {
    if (index > 0) parts.push(hardBreak);
    if (line !== "") parts.push(line);
  }
}

/** Returns the key of a property in an object literal; `key` is data. */
export function propertyKey(key: string): Code {
  // `__proto__: x` would set the prototype; only the computed form creates a property.
  if (key === "__proto__") return raw('["__proto__"]');
  return raw(isPropertyName(key) ? key : quoteText(key));
}

function numberText(value: number): string {
  invariant(Number.isFinite(value), "only finite numbers have a literal");
  return Object.is(value, -0) ? "-0" : String(value);
}

/** Returns a double-quoted literal that no text can end early, even inside a `<script>` element of a page. */
function quoteText(text: string): string {
  const quoted = JSON.stringify(text);
  if (!/[<\u2028\u2029]/.test(quoted)) return quoted;
  return quoted
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029")
    .replace(/<(?=[/!])/g, "\\u003c");
}

/** Returns text between the backticks of a template literal. */
function quoteTemplate(text: string): string {
  return quoteText(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("`", "\\`").replaceAll("${", "\\${");
}

/** Whether a key of an object literal or a property access can have this name without quotes. */
export function isPropertyName(text: string): boolean {
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(text);
}
