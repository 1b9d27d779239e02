// Fragments of TypeScript. Takes texts, data and other fragments; gives formatted text and the list
// of what it imports. Plain values in a `code` template are data and are quoted; only fragments are code.

import { invariant } from "../diagnostics/invariant.ts";
import type { RuntimeLink } from "../plan/plan.ts";

/** Something another module exports, named where a fragment uses it. */
export interface Link {
  /** Module path below the package, `runtime/mapping/strings.ts`; of another package, `package:@acme/lines/input.ts`. */
  readonly module: string;
  readonly symbol: string;
  /** What the file calls it; `symbol` itself but for other packages. */
  readonly local: string;
  readonly typeOnly: boolean;
  /** The exports of the module in this process, where another package brings it. */
  readonly load?: () => Readonly<Record<string, unknown>>;
}

/** What the modules of other packages begin with. */
export const packagePrefix = "package:";

/** A piece of TypeScript. Made by the functions of this file only. */
export interface Code {
  readonly parts: readonly Part[];
}

/** What a fragment is made of; `render.ts` lays it out. */
export type Part =
  | string
  | { readonly kind: "link"; readonly link: Link }
  /** A line break; inside a group that fits on its line, `flat` instead. `hard` breaks always. */
  | { readonly kind: "break"; readonly flat: string; readonly hard: boolean }
  | { readonly kind: "group"; readonly parts: readonly Part[] }
  | { readonly kind: "indent"; readonly parts: readonly Part[] }
  /** Text only where the enclosing group is broken over lines, such as a trailing comma. */
  | { readonly kind: "whenBroken"; readonly text: string }
  /** A type annotation: left out when the text is for JavaScript. */
  | { readonly kind: "annotation"; readonly parts: readonly Part[] };

/** What may stand in a `code` template besides fragments: data, written as a literal. */
type Embeddable =
  | string
  | number
  | bigint
  | boolean
  | null
  | undefined
  | readonly Embeddable[]
  | { readonly [key: string]: Embeddable };

/** The private field is what data cannot have, and costs a tenth of keeping a set of all fragments. */
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

/** Where a line may be broken, with a blank when it is not. */
export const softBreak: Part = { kind: "break", flat: " ", hard: false };
/** Where a line may be broken, with nothing when it is not. */
export const tightBreak: Part = { kind: "break", flat: "", hard: false };
/** Where a line ends. */
export const hardBreak: Part = { kind: "break", flat: "", hard: true };

/** A fragment from parts; for layout helpers. */
export function fragment(parts: readonly Part[]): Code {
  return new Fragment(parts);
}

/** Nothing. */
export const noCode: Code = fragment([]);

/** True for fragments; data that merely looks like one is not. */
function isCode(value: unknown): value is Code {
  return typeof value === "object" && value !== null && Fragment.isOne(value);
}

/** `` code`const ${name} = ${link}(${options});` ``: fragments are spliced, all else is quoted as data. */
export function code(texts: TemplateStringsArray, ...values: readonly (Code | Embeddable)[]): Code {
  const parts: Part[] = [];
  for (const [index, text] of texts.entries()) {
    pushText(parts, text);
    if (index < values.length) {
      const value = values[index];
      // One by one: spread as arguments, the parts of a long mapping would not fit on the call stack.
      for (const part of (isCode(value) ? value : literal(value as Embeddable)).parts) parts.push(part);
    }
  }
  return fragment(parts);
}

/** Code from text the emitter itself has made, such as a fresh name. Never from text of a document. */
export function raw(text: string): Code {
  const parts: Part[] = [];
  pushText(parts, text);
  return fragment(parts);
}

/** A symbol of another module; the import is written when the file is assembled. */
export function linkTo(module: string, symbol: string): Code {
  return fragment([{ kind: "link", link: { module, symbol, local: symbol, typeOnly: false } }]);
}

/** What a descriptor or a builtin names, of this package or another. */
export function linkToRuntime({ module, symbol, source }: RuntimeLink): Code {
  if (source === undefined) return linkTo(module, symbol);
  const path = `${packagePrefix}${source.package}/${module}`;
  const load = () => source.load(module);
  const link: Link = { module: path, symbol, local: source.local, typeOnly: false, load };
  return fragment([{ kind: "link", link }]);
}

/** As `linkTo`, for a type. */
export function linkToType(module: string, symbol: string): Code {
  return fragment([{ kind: "link", link: { module, symbol, local: symbol, typeOnly: true } }]);
}

/** Code that exists in TypeScript only, such as `: Value`. */
export function annotation(type: Code): Code {
  return fragment([{ kind: "annotation", parts: type.parts }]);
}

/** Keeps on one line what fits there; breaks all its own breaks otherwise. */
export function group(...codes: readonly Code[]): Code {
  return fragment([{ kind: "group", parts: codes.flatMap((each) => each.parts) }]);
}

/** Lines inside stand two columns further in. */
export function indent(...codes: readonly Code[]): Code {
  return fragment([{ kind: "indent", parts: codes.flatMap((each) => each.parts) }]);
}

/** Fragments one after the other, with `separator` between. */
export function join(codes: readonly Code[], separator: Code = noCode): Code {
  return fragment(
    codes.flatMap((each, index) => (index === 0 ? each.parts : [...separator.parts, ...each.parts])),
  );
}

/** Fragments on lines of their own. */
function lines(codes: readonly Code[]): Code {
  return join(codes, fragment([hardBreak]));
}

/** `{`, the statements on lines of their own, `}`. */
export function block(statements: readonly Code[]): Code {
  if (statements.length === 0) return raw("{}");
  return join([raw("{"), indent(fragment([hardBreak]), lines(statements)), fragment([hardBreak]), raw("}")]);
}

/** `open a, b close`, one entry a line where they do not fit on one. */
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

/** `callee(args)`; a lone object or list opens on the line of its call. */
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

/** `{ key: value }`; keys are data. */
export function objectOf(entries: readonly (readonly [key: string, value: Code])[]): Code {
  const written = entries.map(([key, value]) => join([propertyKey(key), raw(": "), value]));
  return list("{", written, "}", softBreak);
}

/** Declarations with a blank line between them. */
export function separated(declarations: readonly Code[]): Code {
  return join(declarations, fragment([hardBreak, hardBreak]));
}

/** A line comment; whatever `text` holds, it stays one line. */
export function comment(text: string): Code {
  return raw(`// ${text.replace(/[\r\n\u2028\u2029]+/g, " ")}`);
}

/** Data as a literal. */
export function literal(value: Embeddable): Code {
  if (typeof value === "string") return raw(quoteText(value));
  if (typeof value === "number") return raw(numberText(value));
  if (typeof value === "bigint") return raw(`${value}n`);
  if (value === null || value === undefined || typeof value === "boolean") return raw(String(value));
  if (Array.isArray(value)) return list("[", value.map(literal), "]");
  return objectOf(Object.entries(value).map(([key, each]) => [key, literal(each)]));
}

/** `` `text${code}text` ``; texts are data. */
export function templateLiteral(parts: readonly (string | Code)[]): Code {
  const written = parts.map((part) =>
    typeof part === "string" ? raw(quoteTemplate(part)) : code`\${${part}}`,
  );
  return join([raw("`"), ...written, raw("`")]);
}

/** Everything a fragment imports, each once; what is used as a value is not told again as a type. */
export function linksOf(given: Code): readonly Link[] {
  const found = new Map<string, Link>();
  collectLinks(given.parts, found);
  return [...found.values()].filter(
    (link) => !link.typeOnly || !found.has(`${link.module} ${link.symbol} false`),
  );
}

function collectLinks(parts: readonly Part[], found: Map<string, Link>): void {
  for (const part of parts) {
    if (typeof part === "string") continue;
    if (part.kind === "link")
      found.set(`${part.link.module} ${part.link.symbol} ${part.link.typeOnly}`, part.link);
    else if ("parts" in part) collectLinks(part.parts, found);
  }
}

function pushText(parts: Part[], text: string): void {
  for (const [index, line] of text.split("\n").entries()) {
    if (index > 0) parts.push(hardBreak);
    if (line !== "") parts.push(line);
  }
}

/** The key of an object literal's property; `key` is data. */
export function propertyKey(key: string): Code {
  // `__proto__: x` would set the prototype; only the computed form makes a property.
  if (key === "__proto__") return raw('["__proto__"]');
  return raw(isPropertyName(key) ? key : quoteText(key));
}

function numberText(value: number): string {
  invariant(Number.isFinite(value), "only finite numbers have a literal");
  return Object.is(value, -0) ? "-0" : String(value);
}

/** A double-quoted literal that no text can leave, even inside a `<script>` element of a page. */
function quoteText(text: string): string {
  return JSON.stringify(text)
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029")
    .replace(/<(?=[/!])/g, "\\u003c");
}

/** Text between the backticks of a template literal. */
function quoteTemplate(text: string): string {
  return quoteText(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("`", "\\`").replaceAll("${", "\\${");
}

/** Whether an object literal can have this key, and a read this name, without quotes. */
export function isPropertyName(text: string): boolean {
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(text);
}
