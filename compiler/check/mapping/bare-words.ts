// Reports words that were meant as text, or as keywords of another language, but read a field of the message.

import type { Builtin } from "../../builtins/builtin.ts";
import type { Report } from "../../diagnostics/sink.ts";
import type {
  Assign,
  Expression,
  FieldAccess,
  FunctionCall,
  Mapping,
  MatchCase,
  ObjectEntry,
  StringLiteral,
} from "../../trees/mapping.ts";
import { argumentChecks } from "./arguments/rules.ts";

/** Returns the field that a single word reads: `name` for `this.name`. */
export function bareWord(node: Expression | undefined): FieldAccess | undefined {
  if (node?.kind !== "FieldAccess" || node.receiver.kind !== "This") return undefined;
  return node.receiver.implicit && /^[A-Za-z_]\w*$/.test(node.name.text) ? node : undefined;
}

/** Reports `{id: 1}`: its key is the value of the field `id`. */
export function checkKeyWord({ key }: ObjectEntry, report: Report): void {
  const word = bareWord(key);
  if (word === undefined) return;
  const { text } = word.name;
  report("GW3125", word.span, { name: text, meant: "the text", instead: `"${text}"` });
}

/** Reports `"order ${! this.id }"`: texts of mappings have no interpolation. */
export function checkText({ value, span }: StringLiteral, report: Report): void {
  const start = value.indexOf("${!");
  const end = start === -1 ? -1 : value.indexOf("}", start);
  if (end === -1) return;
  const query = value.slice(start + 3, end).trim();
  if (query !== "") report("GW4028", span, { text: value.slice(start, end + 1), query, isInMapping: true });
}

/** Misspellings of `root` and `this`: with a letter missing, doubled or swapped, or in upper case. */
export const misspelt = {
  root: /^(?:rot|oot|roo|rooot|rroot|roott|orot|roto|r0ot|ro0t|r00t|Root|ROOT)$/,
  this: /^(?:ths|thi|tthis|thhis|thiis|thiss|thsi|tihs|htis|This|THIS)$/,
};

/**
 * Reports `this.total = 1`, `rot.total = 1` and `meta.total = 1`, which set a field `this`, `rot` or `meta` of the
 * result.
 */
export function checkTarget({ target, rooted }: Assign, report: Report): void {
  const [first, ...below] = target;
  if (rooted || first === undefined) return;
  const isNearly = below.length > 0 && (misspelt.root.test(first.text) || first.text === "meta");
  if (first.text === "this" || isNearly)
    report("GW3133", first.span, { name: first.text, path: below.map(({ text }) => text).join(".") });
}

/** Reports a mapping that is only `root.a == 1` or `root == this`: its message becomes a boolean. */
export function checkComparison({ form, statements: [first] }: Mapping, report: Report): void {
  const value = form === "shorthand" && first?.kind === "Assign" ? first.value : undefined;
  if (value?.kind !== "Binary" || value.operator !== "==" || !isOfRoot(value.left)) return;
  const [target, written] = [value.left, value.right].map(({ span: { source, start, end } }) =>
    source.text.slice(start, end),
  );
  report("GW3143", value.span, { target: target ?? "", value: written ?? "" });
}

function isOfRoot(node: Expression): boolean {
  return node.kind === "Root" || (node.kind === "FieldAccess" && isOfRoot(node.receiver));
}

/** Functions whose argument is a name. */
const takeNames: ReadonlySet<string> = new Set(["env", "json", "meta", "metadata", "root_meta", "var"]);

/** Reports `meta(id)`: the name is the value of the field `id`. */
export function checkNameArgument({ name, args }: FunctionCall, report: Report): void {
  const word = takeNames.has(name.text) ? bareWord(args[0]?.value) : undefined;
  if (word === undefined) return;
  const { text } = word.name;
  report("GW3125", word.span, { name: text, meant: "the text", instead: `"${text}"` });
}

/** Reports `.encode(base64)`: one of the names that the argument can have, as a word that reads a field. */
export function checkChoices(
  { rule, parameters }: Builtin,
  args: readonly (Expression | undefined)[],
  report: Report,
): void {
  if (rule === undefined || rule === "evaluated" || rule === "mapping") return;
  for (const [index, arg] of args.entries()) {
    const word = bareWord(arg);
    if (word === undefined) continue;
    const { text } = word.name;
    const accepts = (name: string) =>
      argumentChecks[rule](parameters.map((_, at) => (at === index ? name : undefined))) === undefined;
    // An argument that accepts any text is no choice.
    if (accepts(text) && !accepts(`${text} `))
      report("GW3125", word.span, { name: text, meant: "the text", instead: `"${text}"` });
  }
}

const catchAlls: ReadonlySet<string> = new Set(["default", "else", "otherwise"]);

/** Whether a case is a word that matches all other values in other languages. */
export function isCatchAllWord(pattern: Expression | undefined): boolean {
  const word = bareWord(pattern);
  return word !== undefined && catchAlls.has(word.name.text);
}

/** Reports the case `default` of a `match`, which does not match all other values. */
export function checkCaseWord({ pattern }: MatchCase, report: Report): void {
  const word = isCatchAllWord(pattern) ? bareWord(pattern) : undefined;
  if (word === undefined) return;
  report("GW3125", word.span, { name: word.name.text, meant: "all other values", instead: "_" });
}

/** Literals of other languages, with ours. */
export const literalsElsewhere: ReadonlyMap<string, string> = new Map([
  ["False", "false"],
  ["FALSE", "false"],
  ["nil", "null"],
  ["None", "null"],
  ["NULL", "null"],
  ["Null", "null"],
  ["True", "true"],
  ["TRUE", "true"],
  ["undefined", "null"],
]);
