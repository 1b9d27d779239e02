// Rewrites syntax of other languages as the mapping language has it. Returns no fix if the extent of an expression is not
// certain.

import type { Span } from "../../source/source.ts";
import type { Edit, Fix } from "../diagnostic.ts";
import {
  beginOf,
  edit,
  endOf,
  type Line,
  type LineToken,
  merged,
  operand,
  readLine,
  textOf,
} from "./line-tokens.ts";
import { rewrite } from "./respell.ts";

/** The equivalents of foreign tokens in the mapping language. */
const ownTokens: ReadonlyMap<string, string> = new Map([
  ["===", "=="],
  ["!==", "!="],
  ["<>", "!="],
  ["??", "|"],
  ["?:", "|"],
  ["?.", "."],
  ["=>", "->"],
  ["and", "&&"],
  ["or", "||"],
  ["not", "!"],
  ["is", "=="],
  ["is not", "!="],
  ["elif", "else if"],
  ["elseif", "else if"],
  ["elsif", "else if"],
  ["const", "let"],
  ["var", "let"],
]);

/** Tokens that are wrong wherever they are, so that all of a line are rewritten at once. */
const alwaysForeign: ReadonlySet<string> = new Set([
  "===",
  "!==",
  "<>",
  "??",
  "?:",
  "?.",
  "and",
  "or",
  "not",
]);

/** Returns the fix of a syntax error of a known kind (`habit`) at `span`; `undefined` if there is none. */
export function translate(habit: string | undefined, span: Span): Fix | undefined {
  const written = span.source.text.slice(span.start, span.end);
  switch (habit) {
    case "name-in-quotes":
      return rewrite(span, `"${written}"`);
    case "quoted-field":
      return rewrite(span, `this."${written}"`);
    case "quoted-target":
      return written.startsWith('"') ? undefined : rewrite(span, `root."${written}"`);
    case "quoted-variable":
      return /^\$./.test(written) ? rewrite(span, `var("${written.slice(1)}")`) : undefined;
    case "single-equals":
      return written === "=" ? rewrite(span, "==") : undefined;
    case "semicolon":
      return /^[;,][ \t]*(?:#|\r?\n|$)/.test(span.source.text.slice(span.start))
        ? { title: `Remove \`${written}\`.`, isSafe: false, edits: [{ span, text: "" }] }
        : undefined;
  }
  const line = readLine(span);
  return line && (rewrites.get(habit ?? "") ?? withToken)(line, written);
}

type Rewrite = (line: Line, written: string) => Fix | undefined;

/** What rewrites each kind of error; all others are tokens with an equivalent. */
const rewrites: ReadonlyMap<string, Rewrite> = new Map<string, Rewrite>([
  ["quotes", withQuotes],
  ["template-string", withFormat],
  ["comment", withComment],
  ["ternary", withIf],
  ["compound-assignment", withAssignment],
  ["variable-target", withAssignment],
  ["return", withoutReturn],
  ["membership", withContains],
  ["typeof", withType],
  ["deletion", withDeleted],
  ["match-arrow", withArrows],
  ["call-brackets", withBrackets],
  ["colon-target", (line) => withSign(line, "=")],
  ["concatenation", ({ span }) => rewrite(span, "+")],
  ["fat-arrow", withArrow],
]);

/** Returns the fix for `"… ${this.name} …"`, a string in double quotes that contains the text at `span`. */
export function translateTemplate(span: Span): Fix | undefined {
  const line = readLine(span);
  const string = line?.tokens.find(({ start, end }) => start < span.start && end > span.end);
  return line && string && formatted({ ...line, at: line.tokens.indexOf(string) });
}

function fixOf(title: string, edits: readonly Edit[]): Fix {
  return { title, isSafe: false, edits };
}

/** Replaces a token that has an equivalent; if it is wrong everywhere, all such tokens from there on. */
function withToken(line: Line, written: string): Fix | undefined {
  const { span } = line;
  const word = written.trimEnd().replace(/\s+/g, " ");
  const own = ownTokens.get(word);
  if (own === undefined) return undefined;
  if (!alwaysForeign.has(word)) return rewrite(span, own + written.slice(written.trimEnd().length));
  const edits = line.tokens.flatMap(({ text, start, end }, index) => {
    const [before, after] = [line.tokens[index - 1]?.text ?? "", line.tokens[index + 1]];
    const sign = alwaysForeign.has(text) ? ownTokens.get(text) : undefined;
    if (sign === undefined || start < span.start || before === "." || before === "is") return [];
    return [edit(line, start, sign === "!" ? (after?.start ?? end) : end, sign)];
  });
  return edits[0]?.span.start === span.start ? fixOf(`Write \`${own}\`.`, edits) : undefined;
}

function withQuotes(line: Line): Fix | undefined {
  const strings = line.tokens.filter(
    ({ text, start }) => start >= line.span.start && /^(?:'.*'|`[^`$]*`)$/.test(text),
  );
  const edits = strings.map(({ text, start, end }) => edit(line, start, end, quoted(text.slice(1, -1))));
  if (strings[0]?.start !== line.span.start) return undefined;
  return fixOf(`Write \`${edits[0]?.text}\`.`, edits);
}

/** Returns the content of a string of another language as a string of the mapping language. */
function quoted(content: string): string {
  return `"${content.replace(/\\(['`$])|\\.|"/g, (found, sign?: string) => sign ?? (found === '"' ? '\\"' : found))}"`;
}

function withFormat(line: Line): Fix | undefined {
  const index = line.tokens[line.at]?.text === "f" ? line.at + 1 : line.at;
  return formatted({ ...line, at: index });
}

/** Replaces a string with `${…}`, or `{…}` after `f`, by a call of `format`. */
function formatted(line: Line): Fix | undefined {
  const token = line.tokens[line.at];
  const before = line.tokens[line.at - 1];
  if (token === undefined || !/^["`].*["`]$/.test(token.text)) return undefined;
  const isPython = before?.text === "f" && before.end === token.start;
  const content = token.text.slice(1, -1);
  const parts = content.match(isPython ? /\{[^{}]*\}|[^{]|\{/g : /\$\{[^{}]*\}|\\.|[^$\\]|\$/g) ?? [];
  const values: string[] = [];
  const texts = parts.map((part) => {
    const value = /^\$?\{\s*(.+?)\s*\}$/.exec(part)?.[1];
    if (value === undefined) return part === "%" ? "%%" : part;
    values.push(value);
    return "%v";
  });
  const isCertain = values.length > 0 && values.every((value) => !/[\\`]|[:!](?!=)/.test(value));
  if (!isCertain || (isPython && /[{}]/.test(texts.join("")))) return undefined;
  const text = token.text.startsWith('"') ? texts.join("") : quoted(texts.join("")).slice(1, -1);
  const start = isPython ? (before?.start ?? token.start) : token.start;
  return fixOf("Use `format`.", [edit(line, start, token.end, `"${text}".format(${values.join(", ")})`)]);
}

function withComment(line: Line, written: string): Fix | undefined {
  const { span, end } = line;
  if (written !== "/*") return /^(?:--|\/\/)$/.test(written) ? rewrite(span, "#") : undefined;
  const rest = textOf(line, span.end, end);
  if (!rest.endsWith("*/") || rest.indexOf("*/") < rest.length - 2) return undefined;
  const last = span.end + rest.slice(0, -2).trimEnd().length;
  return fixOf("Write `#`.", [edit(line, span.start, span.end, "#"), edit(line, last, end, "")]);
}

/** Replaces a token between two others by a sign with a space on each side. */
function withSign(line: Line, sign: string): Fix | undefined {
  const [before, after] = [line.tokens[line.at - 1], line.tokens[line.at + 1]];
  if (before === undefined || after === undefined) return undefined;
  return fixOf(`Write \`${sign}\`.`, [edit(line, before.end, after.start, ` ${sign} `)]);
}

function withIf(line: Line): Fix | undefined {
  const edits = line.tokens[line.at]?.text === "then" ? editsOfThen(line) : editsOfTernary(line, line.at);
  return edits && fixOf("Use `if … { … } else { … }`.", edits);
}

function editsOfThen(line: Line): readonly Edit[] | undefined {
  const { tokens, at } = line;
  const then = tokens[at];
  if (then === undefined || tokens.slice(at + 1).some(({ text }) => text === "then" || text === "if"))
    return undefined;
  const otherwise = endOf(line, at + 1, then.depth, ["else"]);
  const last = tokens[otherwise]?.text === "else" ? endOf(line, otherwise + 1, then.depth, []) : otherwise;
  const word = tokens[otherwise];
  const end = tokens[last - 1]?.end;
  if (end === undefined || last - 1 <= at) return undefined;
  return [
    edit(line, then.start, then.end, "{"),
    ...(word?.text === "else" ? [edit(line, word.start, word.end, "} else {")] : []),
    edit(line, end, end, " }"),
  ];
}

function editsOfTernary(line: Line, at: number): readonly Edit[] | undefined {
  const { tokens } = line;
  const sign = tokens[at];
  if (sign?.text !== "?") return undefined;
  const begin = beginOf(line, at);
  const colon = endOf(line, at + 1, sign.depth, [":"]);
  const end = endOf(line, colon + 1, sign.depth, [":"]);
  const [first, condition, value] = [tokens[begin], tokens[at - 1], tokens[at + 1]];
  const [chosen, mark, other, last] = [tokens[colon - 1], tokens[colon], tokens[colon + 1], tokens[end - 1]];
  const isWhole = begin < at && colon > at + 1 && mark?.text === ":" && end > colon + 1;
  if (!isWhole || !first || !condition || !value || !chosen || !other || !last) return undefined;
  const nested = [
    [at + 1, colon],
    [colon + 1, end],
  ].flatMap(([from = 0, until = 0]) => {
    const isNested = ({ text, depth }: LineToken) => text === "?" && depth === sign.depth;
    const inner = tokens.slice(from, until).findIndex(isNested);
    return inner === -1 ? [] : [editsOfTernary(line, from + inner)];
  });
  if (nested.includes(undefined)) return undefined;
  return merged([
    edit(line, first.start, first.start, "if "),
    edit(line, condition.end, value.start, " { "),
    edit(line, chosen.end, other.start, " } else { "),
    edit(line, last.end, last.end, " }"),
    ...nested.flatMap((edits) => edits ?? []),
  ]);
}

function withAssignment(line: Line, written: string): Fix | undefined {
  return inFull(line) ?? withToken(line, written);
}

/** Rewrites `root.a += 1`, `root.a++`, `root.a := 1`, `$a = 1` and `$a += 1`. */
function inFull(line: Line): Fix | undefined {
  const text = textOf(line, line.start, line.end);
  const found = /^([ \t]*)(\$?[A-Za-z_]\w*(?:\.\w+)*)[ \t]*([-+*/%:]?=(?!=)|\+\+|--)[ \t]*(.*)$/.exec(text);
  if (found === null) return undefined;
  const [, indent = "", written = "", sign = "", right = ""] = found;
  if (written.startsWith("$") && written.includes(".")) return undefined;
  const isStep = sign === "++" || sign === "--";
  if (isStep ? right !== "" : right === "") return undefined;
  const path = written.startsWith("$") ? written : readable(line, written.replace(/^root\./, ""));
  const target = written.startsWith("$") ? `let ${written.slice(1)}` : written;
  const begin = line.start + indent.length;
  const middle = line.end - right.length;
  const title = "Write the assignment in full.";
  if (sign === "=" || sign === ":=") return fixOf(title, [edit(line, begin, middle, `${target} = `)]);
  const isSimple = /^(?:[\w.$@]+|"[^"]*"|[\w.$@]+\([^()\s]*\))$/.test(right);
  const value = isStep ? "1" : isSimple ? right : `(${right})`;
  return fixOf(title, [edit(line, begin, line.end, `${target} = ${path} ${sign.charAt(0)} ${value}`)]);
}

/** Returns how to read the current value of a target: from the message if no line above sets it. */
function readable({ span, start }: Line, target: string): string {
  const fields = target.split(".");
  const isSet = span.source.text
    .slice(0, start)
    .split("\n")
    .some((above) => {
      const set = /^[ \t]*(?:root\b\.?)?([\w.]*)[ \t]*=(?!=)/.exec(above)?.[1]?.split(".") ?? ["="];
      return set[0] === "" || set.every((field, index) => field === fields[index]);
    });
  return `${isSet || target === "root" ? "root" : "this"}${target === "root" ? "" : `.${target}`}`;
}

function withoutReturn(line: Line): Fix | undefined {
  const { span, tokens, at } = line;
  const value = tokens[at + 1];
  if (value === undefined) return undefined;
  const before = textOf(line, line.start, span.start);
  const isStatement =
    /^[ \t]*$/.test(before) || /^[ \t]*(?:map\b[^=]*|(?:\}[ \t]*else[ \t]+)?if\b.*)\{[ \t]*$/.test(before);
  if (!isStatement) return fixOf("Remove `return`.", [edit(line, span.start, value.start, "")]);
  const isTarget = value.text === "root" && tokens.length === 2;
  if (isTarget && span.source.text.slice(0, line.start).trim() !== "")
    return fixOf("Remove `return`.", [edit(line, span.start, line.end, "")]);
  return fixOf("Assign to `root`.", [edit(line, span.start, value.start, "root = ")]);
}

function withContains(line: Line): Fix | undefined {
  const left = operand(line, line.at - 1, -1);
  const right = operand(line, line.at + 1, 1);
  if (left === undefined || right === undefined || left[1].text === "not") return undefined;
  const value = textOf(line, left[0].start, left[1].end);
  const list = textOf(line, right[0].start, right[1].end);
  return fixOf("Use `.contains(…)`.", [
    edit(line, left[0].start, right[1].end, `${list}.contains(${value})`),
  ]);
}

function withType(line: Line): Fix | undefined {
  const value = operand(line, line.at + 1, 1);
  if (value === undefined) return undefined;
  return fixOf("Use `.type()`.", [
    edit(line, line.span.start, value[0].start, ""),
    edit(line, value[1].end, value[1].end, ".type()"),
  ]);
}

function withDeleted(line: Line): Fix | undefined {
  const path = /^[\w.]+$/.exec(textOf(line, line.tokens[line.at + 1]?.start ?? line.end, line.end))?.[0];
  if (path === undefined || path === "root") return undefined;
  const target = path.replace(/^this\./, "root.");
  return fixOf("Use `deleted()`.", [edit(line, line.span.start, line.end, `${target} = deleted()`)]);
}

function withArrow({ span }: Line): Fix {
  const { text } = span.source;
  // The arrow of a lambda needs spaces around it.
  const isAlone = /\s/.test(text.charAt(span.start - 1)) && /\s/.test(text.charAt(span.end));
  return rewrite(span, isAlone ? "->" : " -> ");
}

/** Replaces the arrows of cases, from the wrong one on. */
function withArrows(line: Line): Fix | undefined {
  const arrows = line.tokens.filter(({ text, end }) => text === "->" && end >= line.span.end);
  if (arrows[0]?.end !== line.span.end) return undefined;
  return fixOf(
    "Write `=>`.",
    arrows
      .filter(({ depth }) => depth === arrows[0]?.depth)
      .map(({ start, end }) => edit(line, start, end, "=>")),
  );
}

/** Rewrites `throw "why"`, also as a statement of its own. */
function withBrackets(line: Line): Fix | undefined {
  const { tokens, at, span } = line;
  const name = tokens[at - 1];
  const last = tokens[endOf(line, at, tokens[at]?.depth ?? 0, []) - 1];
  if (name === undefined || last === undefined) return undefined;
  const target = at === 1 ? [edit(line, name.start, name.start, "root = ")] : [];
  return fixOf("Write the arguments in brackets.", [
    ...target,
    edit(line, name.end, span.start, "("),
    edit(line, last.end, last.end, ")"),
  ]);
}
