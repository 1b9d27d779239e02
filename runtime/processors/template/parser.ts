// Parses the text of templates, in the language of Go's `text/template`.

import { readNumber, readQuoted } from "./constants.ts";
import { readTokens, type TemplateToken } from "./lexer.ts";
import {
  type BranchNode,
  type Command,
  fault,
  type Operand,
  type Pipe,
  type TemplateNode,
  type TemplateSyntaxError,
  type TemplateText,
  type TemplateTree,
  type TextPlace,
} from "./syntax.ts";

/**
 * Returns the template of a text, and those that it defines. Throws a `TemplateSyntaxError`. A definition that contains
 * nothing does not replace one with the same name.
 */
export function parseTemplate(from: TemplateText): readonly TemplateTree[] {
  return new Parser(from).parse();
}

/** How deep actions and parentheses may be nested: each level takes part of the stack of the JavaScript engine. */
const deepest = 500;

/** How many variables may be in scope: each use of one searches them. */
const mostVariables = 1000;

/** Whether a template contains only white space. */
export function isBlankTemplate({ body }: TemplateTree): boolean {
  return body.every((node) => node.kind === "Text" && node.text.trim() === "");
}

/** The words that end a list of nodes. */
type Ending = "end" | "else";

interface List {
  readonly body: readonly TemplateNode[];
  readonly ending: Ending | undefined;
  readonly place: TextPlace;
}

class Parser {
  readonly #from: TemplateText;
  readonly #tokens: readonly TemplateToken[];
  readonly #trees = new Map<string, TemplateTree>();
  #at = 0;
  /** The variables in scope, and the number of loops around the current place. */
  #variables: string[] = ["$"];
  #loops = 0;
  #depth = 0;

  constructor(from: TemplateText) {
    this.#from = from;
    this.#tokens = readTokens(from.text);
  }

  parse(): readonly TemplateTree[] {
    const body: TemplateNode[] = [];
    while (this.#token.kind !== "end") {
      if (this.#isDefinition()) this.#define();
      else {
        const { body: nodes, ending, place } = this.#list(true);
        if (ending !== undefined) throw fault(`unexpected \`{{${ending}}}\``, place);
        body.push(...nodes);
      }
    }
    this.#add({ name: this.#from.name, from: this.#from, body }, { start: 0, end: 0 });
    return [...this.#trees.values()];
  }

  #add(tree: TemplateTree, place: TextPlace): void {
    const known = this.#trees.get(tree.name);
    if (known !== undefined && !isBlankTemplate(known)) {
      if (!isBlankTemplate(tree)) throw fault(`multiple definition of template \`${tree.name}\``, place);
      return;
    }
    this.#trees.set(tree.name, tree);
  }

  /** `{{define "name"}} … {{end}}`, which is only allowed outside of other actions. */
  #define(): void {
    this.#at++;
    this.#skipSpace();
    this.#at++;
    const { name, place } = this.#name("define");
    this.#close("define");
    this.#add({ name, from: this.#from, body: this.#apart(place) }, place);
  }

  /** Reads a body with its own variables, up to its `{{end}}`. */
  #apart(place: TextPlace): readonly TemplateNode[] {
    this.#enter(place);
    const [variables, loops] = [this.#variables, this.#loops];
    [this.#variables, this.#loops] = [["$"], 0];
    const { body, ending, place: last } = this.#list();
    if (ending === undefined) throw fault("unexpected end of the template: `{{end}}` is missing", place);
    if (ending === "else") throw fault("unexpected `{{else}}`", last);
    this.#close("end");
    [this.#variables, this.#loops] = [variables, loops];
    this.#depth--;
    return body;
  }

  /** Begins a level of nesting. */
  #enter(place: TextPlace): void {
    if (this.#depth++ === deepest) throw fault(`more than ${deepest} levels are nested`, place);
  }

  #isDefinition(): boolean {
    if (this.#token.kind !== "open") return false;
    const next = this.#tokens[this.#at + 1];
    const first = next?.kind === "space" ? this.#tokens[this.#at + 2] : next;
    return first?.kind === "word" && first.text === "define";
  }

  /** Reads nodes up to `{{end}}` or `{{else`, which is consumed, or the end. At the top, a definition ends them as well. */
  #list(isTop = false): List {
    const body: TemplateNode[] = [];
    for (;;) {
      const token = this.#token;
      if (token.kind === "end" || (isTop && this.#isDefinition()))
        return { body, ending: undefined, place: token };
      this.#at++;
      if (token.kind === "text") {
        body.push({ kind: "Text", text: token.text });
        continue;
      }
      this.#skipSpace();
      const first = this.#token;
      if (first.kind === "word" && (first.text === "end" || first.text === "else")) {
        this.#at++;
        return { body, ending: first.text, place: first };
      }
      body.push(this.#action(first));
    }
  }

  #action(first: TemplateToken): TemplateNode {
    switch (first.kind === "word" ? first.text : "") {
      case "if":
        return this.#branch("If");
      case "with":
        return this.#branch("With");
      case "range":
        return this.#branch("Range");
      case "break":
      case "continue":
        return this.#leave(first);
      case "template":
        return this.#call();
      case "block":
        return this.#block();
      case "define":
        throw fault("`define` is only allowed outside of other actions", first);
      default: {
        const pipe = this.#pipe("command");
        this.#at++;
        return { kind: "Action", pipe };
      }
    }
  }

  #leave(first: TemplateToken): TemplateNode {
    this.#at++;
    this.#close(first.text);
    if (this.#loops === 0) throw fault(`\`{{${first.text}}}\` is outside of \`{{range}}\``, first);
    return { kind: first.text === "break" ? "Break" : "Continue" };
  }

  #branch(kind: BranchNode["kind"]): BranchNode {
    const keyword = this.#token;
    this.#enter(keyword);
    this.#at++;
    const scope = this.#variables.length;
    const pipe = this.#pipe(keyword.text);
    this.#at++;
    if (kind === "Range") this.#loops++;
    const { body, ending, place } = this.#list();
    if (kind === "Range") this.#loops--;
    const otherwise = ending === "else" ? this.#otherwise(kind, keyword, place) : [];
    if (ending === undefined) throw missingEnd(keyword);
    if (ending === "end") this.#close("end");
    this.#variables.length = scope;
    this.#depth--;
    return { kind, pipe, body, otherwise };
  }

  /** Reads the part after `{{else`. In `else if` and `else with`, the `{{end}}` of both is the same. */
  #otherwise(kind: BranchNode["kind"], keyword: TemplateToken, place: TextPlace): readonly TemplateNode[] {
    this.#skipSpace();
    const next = this.#token;
    const word = next.kind === "word" ? next.text : "";
    if (word === "if" && kind === "If") return [this.#branch("If")];
    if (word === "with" && kind === "With") return [this.#branch("With")];
    this.#close("else");
    const { body, ending, place: last } = this.#list();
    if (ending === undefined) throw missingEnd(keyword);
    if (ending === "else") throw fault("`{{else}}` follows another `{{else}}`", { ...place, ...last });
    this.#close("end");
    return body;
  }

  #call(): TemplateNode {
    this.#at++;
    const { name, place } = this.#name("template");
    this.#skipSpace();
    const pipe = this.#token.kind === "close" ? undefined : this.#pipe("template clause");
    this.#at++;
    return { kind: "Call", name, pipe, place };
  }

  #block(): TemplateNode {
    this.#at++;
    const { name, place } = this.#name("block");
    const pipe = this.#pipe("block clause");
    this.#at++;
    this.#add({ name, from: this.#from, body: this.#apart(place) }, place);
    return { kind: "Call", name, pipe, place };
  }

  #name(clause: string): { readonly name: string; readonly place: TextPlace } {
    this.#skipSpace();
    const token = this.#token;
    if (token.kind !== "string" && token.kind !== "raw")
      throw fault(`\`${clause}\` requires the name of a template in quotes`, token);
    this.#at++;
    return { name: readQuoted(token), place: token };
  }

  #close(clause: string): void {
    this.#skipSpace();
    if (this.#token.kind !== "close") throw unexpected(this.#token, `\`{{${clause}}}\``);
    this.#at++;
  }

  /** Reads a pipeline up to what closes it, which is not consumed. */
  #pipe(context: string, closing: ")" | "}}" = "}}"): Pipe {
    this.#skipSpace();
    const { start } = this.#token;
    const { variables, isAssignment } = this.#declaration(context);
    const commands: Command[] = [];
    for (;;) {
      this.#skipSpace();
      const token = this.#token;
      if (token.kind === "close" || (token.kind === "sign" && token.text === ")")) {
        if (closing !== (token.kind === "close" ? "}}" : ")")) throw unexpected(token, context);
        if (commands.length === 0) throw fault(`missing value for ${context}`, token);
        const place = { start, end: token.start };
        return { kind: "Pipe", place, variables, isAssignment, commands };
      }
      if (token.kind === "sign" && token.text !== "(") throw unexpected(token, context);
      const command = this.#command(context);
      if (commands.length > 0 && isConstant(command.first))
        throw fault(`a value cannot follow \`|\`, because it takes no argument`, command.first.place);
      commands.push(command);
    }
  }

  /** Reads `$a :=`, `$a =`, and in `range` also `$a, $b :=`. */
  #declaration(context: string): Pick<Pipe, "variables" | "isAssignment"> {
    const before = this.#at;
    const places: TemplateToken[] = [];
    for (;;) {
      this.#skipSpace();
      const variable = this.#token;
      if (variable.kind !== "variable") break;
      this.#at++;
      this.#skipSpace();
      const sign = this.#token;
      places.push(variable);
      if (sign.text === "," && sign.kind === "sign") {
        this.#at++;
        if (context !== "range" || places.length > 1)
          throw fault(`too many declarations in ${context}`, sign);
        this.#skipSpace();
        if (this.#token.kind !== "variable") throw fault("range can only initialize variables", this.#token);
        continue;
      }
      if (sign.kind !== "sign" || (sign.text !== ":=" && sign.text !== "=")) break;
      this.#at++;
      const isAssignment = sign.text === "=";
      for (const each of places)
        if (isAssignment && !this.#variables.includes(each.text))
          throw fault(`undefined variable \`${each.text}\``, each);
      const variables = places.map(({ text }) => text);
      if (!isAssignment) this.#variables.push(...variables);
      if (this.#variables.length > mostVariables)
        throw fault(`more than ${mostVariables} variables are in scope`, variable);
      return { variables, isAssignment };
    }
    const [, second] = places;
    if (second !== undefined) throw unexpected(this.#token, context);
    this.#at = before;
    return { variables: [], isAssignment: false };
  }

  #command(context: string): Command {
    const operands: Operand[] = [];
    const { start } = this.#token;
    let { end } = this.#token;
    for (;;) {
      this.#skipSpace();
      const operand = this.#operand();
      if (operand !== undefined) operands.push(operand);
      const token = this.#token;
      end = operand?.place.end ?? end;
      if (token.kind === "space") continue;
      if (token.kind === "sign" && token.text === "|") {
        this.#at++;
        break;
      }
      if (token.kind === "close" || (token.kind === "sign" && token.text === ")")) break;
      throw unexpected(token, context === "command" ? "the command" : context);
    }
    const [first, ...args] = operands;
    if (first === undefined) throw fault("empty command", this.#token);
    return { first, args, place: { start, end } };
  }

  #operand(): Operand | undefined {
    const term = this.#term();
    if (term === undefined || this.#token.kind !== "field" || this.#token.text === ".") return term;
    const path: string[] = [];
    let end = 0;
    while (this.#token.kind === "field" && this.#token.text !== ".") {
      path.push(this.#token.text.slice(1));
      end = this.#token.end;
      this.#at++;
    }
    const place = { start: term.place.start, end };
    if (term.kind === "Field" || term.kind === "Variable")
      return { ...term, path: [...term.path, ...path], place };
    if (isConstant(term)) throw fault(`unexpected \`.${path[0]}\` after a value`, place);
    return { kind: "Chain", target: term, path, place };
  }

  #term(): Operand | undefined {
    const token = this.#token;
    const place: TextPlace = { start: token.start, end: token.end };
    const { text } = token;
    switch (token.kind) {
      case "word":
        this.#at++;
        if (text === "nil") return { kind: "Nil", place };
        if (text === "true" || text === "false") return { kind: "Bool", value: text === "true", place };
        if (keywords.has(text)) throw unexpected(token, "an expression");
        return { kind: "Function", name: text, place };
      case "field":
        this.#at++;
        return text === "." ? { kind: "Dot", place } : { kind: "Field", path: [text.slice(1)], place };
      case "variable":
        this.#at++;
        if (!this.#variables.includes(text)) throw fault(`undefined variable \`${text}\``, place);
        return { kind: "Variable", name: text, path: [], place };
      case "number":
      case "rune":
        this.#at++;
        return readNumber(token);
      case "string":
      case "raw":
        this.#at++;
        return { kind: "String", value: readQuoted(token), place };
      case "sign": {
        if (text !== "(") return undefined;
        this.#enter(place);
        this.#at++;
        const pipe = this.#pipe("parenthesized pipeline", ")");
        this.#depth--;
        const { end } = this.#token;
        this.#at++;
        return { ...pipe, place: { start: place.start, end } };
      }
      default:
        return undefined;
    }
  }

  get #token(): TemplateToken {
    // The last token is `end`, and nothing consumes it.
    return this.#tokens[this.#at] ?? { kind: "end", text: "", start: 0, end: 0 };
  }

  #skipSpace(): void {
    if (this.#token.kind === "space") this.#at++;
  }
}

const keywords: ReadonlySet<string> = /* @__PURE__ */ new Set([
  ...["block", "break", "continue", "define", "else", "end", "if", "range", "template", "with"],
]);

function unexpected(token: TemplateToken, context: string): TemplateSyntaxError {
  const shown = token.kind === "end" ? "end of the template" : `\`${token.text}\``;
  return fault(`unexpected ${token.kind === "space" ? "space" : shown} in ${context}`, token);
}

function missingEnd(keyword: TemplateToken): TemplateSyntaxError {
  return fault(`unexpected end of the template: \`{{${keyword.text}}}\` has no \`{{end}}\``, keyword);
}

function isConstant({ kind }: Operand): boolean {
  return kind === "Bool" || kind === "String" || kind === "Number" || kind === "Nil" || kind === "Dot";
}
