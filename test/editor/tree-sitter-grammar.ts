import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { compileFunction } from "node:vm";

type Rule = { readonly type: string; readonly [key: string]: unknown };
type Part = Rule | string | RegExp;

/** Resolves with the rules of a grammar as data, like those that `tree-sitter generate` writes to `src/grammar.json`. */
export async function grammarOf(path: string): Promise<unknown> {
  const exported: { exports: unknown } = { exports: undefined };
  const code = compileFunction(readFileSync(path, "utf8"), ["module", ...Object.keys(functions), "grammar"], {
    filename: basename(path),
  });
  code(exported, ...Object.values(functions), describe);
  return exported.exports;
}

interface Definition {
  readonly name: string;
  readonly word: (symbols: object) => Rule;
  readonly extras: (symbols: object) => readonly Part[];
  readonly conflicts: (symbols: object) => readonly (readonly Rule[])[];
  readonly rules: Readonly<Record<string, (symbols: object) => Part>>;
}

function describe({ name, word, extras, conflicts, rules }: Definition): unknown {
  const symbols = new Proxy({}, { get: (_, key) => ({ type: "SYMBOL", name: String(key) }) });
  return {
    $schema: "https://tree-sitter.github.io/tree-sitter/assets/schemas/grammar.schema.json",
    name,
    word: word(symbols).name,
    rules: Object.fromEntries(Object.entries(rules).map(([key, rule]) => [key, ruleOf(rule(symbols))])),
    extras: extras(symbols).map(ruleOf),
    conflicts: conflicts(symbols).map((group) => group.map((each) => each.name)),
    precedences: [],
    externals: [],
    inline: [],
    supertypes: [],
  };
}

function ruleOf(part: Part): Rule {
  if (typeof part === "string") return { type: "STRING", value: part };
  return part instanceof RegExp ? { type: "PATTERN", value: part.source } : part;
}

const list =
  (type: string) =>
  (...members: Part[]) => ({ type, members: members.map(ruleOf) });
const around = (type: string) => (content: Part) => ({ type, content: ruleOf(content) });
const precedence = (type: string) => (value: number | Part, content?: Part) =>
  typeof value === "number" && content !== undefined
    ? { type, value, content: ruleOf(content) }
    : { type, value: 0, content: ruleOf(value as Part) };
const token = Object.assign(around("TOKEN"), { immediate: around("IMMEDIATE_TOKEN") });

/** The functions that grammars call. */
const functions = {
  seq: list("SEQ"),
  choice: list("CHOICE"),
  repeat: around("REPEAT"),
  repeat1: around("REPEAT1"),
  optional: (content: Part) => list("CHOICE")(content, { type: "BLANK" }),
  field: (name: string, content: Part) => ({ type: "FIELD", name, content: ruleOf(content) }),
  alias: (content: Part, value: Rule) => ({
    ...{ type: "ALIAS", content: ruleOf(content), named: true, value: value.name },
  }),
  prec: Object.assign(precedence("PREC"), {
    left: precedence("PREC_LEFT"),
    right: precedence("PREC_RIGHT"),
    dynamic: precedence("PREC_DYNAMIC"),
  }),
  token,
};
