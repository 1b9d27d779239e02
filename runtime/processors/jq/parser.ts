// Parses the text of a jq query to a tree. Each rule of the grammar has one method.

import { JqSyntaxError, Lexer, type Token } from "./lexer.ts";
import type { Definition, JqObjectEntry, JqPattern, JqQuery, PatternEntry } from "./syntax.ts";

/** Returns the tree of a query. Throws a `JqSyntaxError` if it is invalid. */
export function parseQuery(text: string): JqQuery {
  return new Parser(text).program();
}

/** The precedence and associativity of operators. Comparisons and updates cannot be chained. */
const operators: Readonly<Record<string, readonly [power: number, side: "left" | "right" | "none"]>> = {
  "//": [1, "right"],
  ...Object.fromEntries(
    ["=", "|=", "+=", "-=", "*=", "/=", "%=", "//="].map((each) => [each, [2, "none"] as const]),
  ),
  or: [3, "left"],
  and: [4, "left"],
  ...Object.fromEntries(["==", "!=", "<", "<=", ">", ">="].map((each) => [each, [5, "none"] as const])),
  "+": [6, "left"],
  "-": [6, "left"],
  "*": [7, "left"],
  "/": [7, "left"],
  "%": [7, "left"],
};
/** The maximum nesting of queries: more than people write, less than the stack holds. */
const mostDepth = 500;
const identity: JqQuery = { kind: "Identity" };

class Parser {
  readonly #lexer: Lexer;
  #token: Token;
  #depth = 0;

  constructor(text: string) {
    this.#lexer = new Lexer(text);
    this.#token = this.#lexer.next();
  }

  program(): JqQuery {
    if (this.#is("import") || this.#is("include") || this.#is("module"))
      throw new JqSyntaxError("modules cannot be loaded");
    const definitions = this.#definitions();
    if (this.#isOver()) {
      if (definitions.length === 0) throw new JqSyntaxError('missing query (try ".")');
      return defining(definitions, identity);
    }
    const body = this.#pipe();
    if (!this.#isOver()) throw this.#unexpected();
    return defining(definitions, body);
  }

  #definitions(): Definition[] {
    const definitions: Definition[] = [];
    while (this.#is("def")) definitions.push(this.#definition());
    return definitions;
  }

  #definition(): Definition {
    this.#expect("def");
    const { kind, text: name } = this.#take();
    if (kind !== "name") throw new JqSyntaxError(`unexpected token "${name}"`);
    const parameters: string[] = [];
    if (this.#accepts("(")) {
      do {
        const parameter = this.#take();
        if (parameter.kind !== "name" && parameter.kind !== "variable")
          throw new JqSyntaxError(`unexpected token "${parameter.text}"`);
        parameters.push(parameter.text);
      } while (this.#accepts(";"));
      this.#expect(")");
    }
    this.#expect(":");
    const body = this.#pipe();
    this.#expect(";");
    return { name, parameters, body };
  }

  #pipe(): JqQuery {
    if (++this.#depth > mostDepth) throw new JqSyntaxError("the query is nested too deeply");
    const query = this.#pipeWithin();
    this.#depth--;
    return query;
  }

  #pipeWithin(): JqQuery {
    const left = this.#commas();
    return this.#accepts("|") ? { kind: "Pipe", left, right: this.#pipe() } : left;
  }

  #commas(): JqQuery {
    let left = this.#operand();
    while (this.#accepts(",")) left = { kind: "Comma", left, right: this.#operand() };
    return left;
  }

  /** Parses an operand of a comma. Definitions, labels and bindings extend to the end of the pipe. */
  #operand(): JqQuery {
    if (this.#is("def")) {
      const definition = this.#definition();
      return { kind: "Define", definition, body: this.#pipe() };
    }
    if (this.#accepts("label")) {
      const name = this.#variable();
      this.#expect("|");
      return { kind: "Label", name, body: this.#pipe() };
    }
    const term = this.#term();
    if (!this.#accepts("as")) return this.#expression(0, term);
    const patterns = [this.#pattern()];
    while (this.#accepts("?//")) patterns.push(this.#pattern());
    this.#expect("|");
    return { kind: "Bind", source: term, patterns, body: this.#pipe() };
  }

  #expression(power: number, first = this.#term()): JqQuery {
    let left = first;
    let last = Number.POSITIVE_INFINITY;
    for (;;) {
      const { text } = this.#token;
      const rule = this.#isOperator() ? operators[text] : undefined;
      if (rule === undefined || rule[0] < power) return left;
      const [own, side] = rule;
      if (side === "none" && own === last) throw this.#unexpected();
      this.#take();
      const right = this.#expression(side === "right" ? own : own + 1);
      left = operation(text, left, right);
      last = own;
    }
  }

  #isOperator(): boolean {
    const { kind, text } = this.#token;
    return (kind === "symbol" || kind === "keyword") && Object.hasOwn(operators, text);
  }

  #term(): JqQuery {
    let term = this.#nested(() => this.#primary());
    for (;;) {
      const { kind, text } = this.#token;
      if (kind === "field") {
        this.#take();
        term = indexed(term, text);
      } else if (this.#accepts("?")) {
        term = quiet(term);
      } else if (this.#is("[")) {
        term = this.#brackets(term);
      } else if (this.#accepts(".")) {
        if (this.#token.kind === "quote") term = { kind: "Index", target: term, key: this.#text(undefined) };
        else if (this.#is("[")) term = this.#brackets(term);
        else throw this.#unexpected();
      } else return term;
    }
  }

  #brackets(target: JqQuery): JqQuery {
    this.#expect("[");
    if (this.#accepts("]")) return { kind: "Iterate", target };
    if (this.#accepts(":")) {
      const to = this.#pipe();
      this.#expect("]");
      return { kind: "Slice", target, from: undefined, to };
    }
    const key = this.#pipe();
    if (this.#accepts(":")) {
      const to = this.#is("]") ? undefined : this.#pipe();
      this.#expect("]");
      return { kind: "Slice", target, from: key, to };
    }
    this.#expect("]");
    return { kind: "Index", target, key };
  }

  #primary(): JqQuery {
    const token = this.#token;
    if (token.kind === "quote") return this.#text(undefined);
    this.#take();
    switch (token.kind) {
      case "number":
        return { kind: "Number", text: token.text };
      case "field":
        return indexed(identity, token.text);
      case "variable":
        return { kind: "Variable", name: token.text };
      case "format":
        return this.#is('"', "quote") ? this.#text(token.text) : { kind: "Format", name: token.text };
      case "name":
        return { kind: "Call", name: token.text, args: this.#arguments() };
      case "keyword":
        return this.#keyword(token);
      case "symbol":
        return this.#symbol(token);
      default:
        throw new JqSyntaxError("unexpected EOF");
    }
  }

  #arguments(): readonly JqQuery[] {
    if (!this.#accepts("(")) return [];
    const args = [this.#pipe()];
    while (this.#accepts(";")) args.push(this.#pipe());
    this.#expect(")");
    return args;
  }

  #keyword(token: Token): JqQuery {
    switch (token.text) {
      case "null":
        return { kind: "Literal", value: null };
      case "true":
      case "false":
        return { kind: "Literal", value: token.text === "true" };
      case "if":
        return this.#if();
      case "try": {
        const body = this.#term();
        return { kind: "Try", body, handler: this.#accepts("catch") ? this.#term() : undefined };
      }
      case "reduce":
      case "foreach":
        return this.#fold(token.text);
      case "break":
        return { kind: "Break", name: this.#variable() };
      default:
        throw new JqSyntaxError(`unexpected token "${token.text}"`);
    }
  }

  #if(): JqQuery {
    const test = this.#pipe();
    this.#expect("then");
    const then = this.#pipe();
    if (this.#accepts("elif")) return { kind: "If", test, then, otherwise: this.#if() };
    const otherwise = this.#accepts("else") ? this.#pipe() : undefined;
    this.#expect("end");
    return { kind: "If", test, then, otherwise };
  }

  #fold(kind: "reduce" | "foreach"): JqQuery {
    const source = this.#expression(0);
    this.#expect("as");
    const pattern = this.#pattern();
    this.#expect("(");
    const start = this.#pipe();
    this.#expect(";");
    const update = this.#pipe();
    const extract = kind === "foreach" && this.#accepts(";") ? this.#pipe() : undefined;
    this.#expect(")");
    const parts = { source, pattern, start, update };
    return kind === "reduce" ? { kind: "Reduce", ...parts } : { kind: "Foreach", ...parts, extract };
  }

  #symbol(token: Token): JqQuery {
    switch (token.text) {
      case ".":
        if (this.#token.kind === "quote")
          return { kind: "Index", target: identity, key: this.#text(undefined) };
        return identity;
      case "..":
        return { kind: "RecurseDefault" };
      case "(": {
        const body = this.#pipe();
        this.#expect(")");
        return body;
      }
      case "[": {
        if (this.#accepts("]")) return { kind: "Array", body: undefined };
        const body = this.#pipe();
        this.#expect("]");
        return { kind: "Array", body };
      }
      case "{":
        return this.#object();
      case "-":
        return { kind: "Negate", operand: this.#term() };
      case "+":
        return { kind: "Plus", operand: this.#term() };
      default:
        throw new JqSyntaxError(`unexpected token "${token.text}"`);
    }
  }

  #nested<T>(parse: () => T): T {
    if (++this.#depth > mostDepth) throw new JqSyntaxError("the query is nested too deeply");
    const parsed = parse();
    this.#depth--;
    return parsed;
  }

  #object(): JqQuery {
    const entries: JqObjectEntry[] = [];
    while (!this.#accepts("}")) {
      entries.push(this.#entry());
      if (!this.#is("}")) this.#expect(",");
    }
    return { kind: "Object", entries };
  }

  #entry(): JqObjectEntry {
    const { kind, text } = this.#token;
    if (this.#accepts("(")) {
      const key = this.#pipe();
      this.#expect(")");
      this.#expect(":");
      return { key, value: this.#entryValue() };
    }
    const key = this.#key();
    if (this.#accepts(":")) return { key, value: this.#entryValue() };
    if (kind !== "variable") return { key, value: { kind: "Index", target: identity, key } };
    return { key: literal(text.slice(1)), value: key };
  }

  #entryValue(): JqQuery {
    const left = this.#expression(0);
    return this.#accepts("|") ? { kind: "Pipe", left, right: this.#entryValue() } : left;
  }

  /** Parses a key: a name, a variable or a text. */
  #key(): JqQuery {
    if (this.#token.kind === "quote") return this.#text(undefined);
    const { kind, text } = this.#take();
    if (kind === "variable") return { kind: "Variable", name: text };
    if (kind === "name" || kind === "keyword") return literal(text);
    throw new JqSyntaxError(kind === "end" ? "unexpected EOF" : `unexpected token "${text}"`);
  }

  #pattern(): JqPattern {
    return this.#nested(() => this.#patternWithin());
  }

  #patternWithin(): JqPattern {
    if (this.#accepts("[")) {
      const items = [this.#pattern()];
      while (this.#accepts(",")) items.push(this.#pattern());
      this.#expect("]");
      return { kind: "Elements", items };
    }
    if (this.#accepts("{")) {
      const entries = [this.#patternEntry()];
      while (this.#accepts(",")) entries.push(this.#patternEntry());
      this.#expect("}");
      return { kind: "Fields", entries };
    }
    return { kind: "Name", name: this.#variable() };
  }

  #patternEntry(): PatternEntry {
    if (this.#accepts("(")) {
      const key = this.#pipe();
      this.#expect(")");
      this.#expect(":");
      return { key, name: undefined, inner: this.#pattern() };
    }
    const { kind, text } = this.#token;
    const key = this.#key();
    if (kind !== "variable") {
      this.#expect(":");
      return { key, name: undefined, inner: this.#pattern() };
    }
    const inner = this.#accepts(":") ? this.#pattern() : undefined;
    return { key: literal(text.slice(1)), name: text, inner };
  }

  /** Parses a string and the queries in it. The current token is the opening quote. */
  #text(format: string | undefined): JqQuery {
    const parts: (string | JqQuery)[] = [];
    for (;;) {
      const { text, ends } = this.#lexer.textPart();
      if (text !== "") parts.push(text);
      if (ends) break;
      this.#take();
      parts.push(this.#pipe());
      // After the parenthesis, the string continues: do not read a token.
      if (!this.#is(")")) throw this.#unexpected();
    }
    this.#take();
    const [only = ""] = parts;
    if (parts.length < 2 && typeof only === "string") return literal(only);
    return { kind: "Template", parts, format };
  }

  #variable(): string {
    const { kind, text } = this.#take();
    if (kind !== "variable") throw new JqSyntaxError(`unexpected token "${text}"`);
    return text;
  }

  #is(text: string, kind?: Token["kind"]): boolean {
    const token = this.#token;
    if (kind !== undefined) return token.kind === kind;
    return (token.kind === "symbol" || token.kind === "keyword") && token.text === text;
  }

  #isOver(): boolean {
    return this.#token.kind === "end";
  }

  #accepts(text: string): boolean {
    const is = this.#is(text);
    if (is) this.#take();
    return is;
  }

  #expect(text: string): void {
    if (!this.#accepts(text)) throw this.#unexpected();
  }

  #take(): Token {
    const token = this.#token;
    this.#token = this.#lexer.next();
    return token;
  }

  #unexpected(): JqSyntaxError {
    const { kind, text } = this.#token;
    return new JqSyntaxError(kind === "end" ? "unexpected EOF" : `unexpected token "${text}"`);
  }
}

function defining(definitions: readonly Definition[], body: JqQuery): JqQuery {
  return definitions.reduceRight<JqQuery>(
    (inner, definition) => ({ kind: "Define", definition, body: inner }),
    body,
  );
}

/** `term?` */
function quiet(term: JqQuery): JqQuery {
  if (term.kind === "Index" || term.kind === "Slice" || term.kind === "Iterate")
    return { ...term, isQuiet: true };
  return { kind: "Try", body: term, handler: undefined };
}

function literal(value: string): JqQuery {
  return { kind: "Literal", value };
}

function indexed(target: JqQuery, name: string): JqQuery {
  return { kind: "Index", target, key: literal(name) };
}

function operation(operator: string, left: JqQuery, right: JqQuery): JqQuery {
  switch (operator) {
    case "//":
      return { kind: "Alternative", left, right };
    case "and":
      return { kind: "And", left, right };
    case "or":
      return { kind: "Or", left, right };
    case "=":
    case "|=":
    case "+=":
    case "-=":
    case "*=":
    case "/=":
    case "%=":
    case "//=":
      return { kind: "Update", operator: operator.slice(0, -1), left, right };
    default:
      return { kind: "Binary", operator, left, right };
  }
}
