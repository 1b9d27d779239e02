// Parses AWK programs: rules, functions and statements.

import { ExpressionParser } from "./expressions.ts";
import type { AwkExpression, AwkStatement, FunctionTree, ProgramTree, Rule } from "./syntax.ts";
import { refused } from "./tokens.ts";

/** Returns the syntax tree of a program. Throws a `ProgramError`. */
export function parseProgram(text: string): ProgramTree {
  return new ProgramParser(text).parse();
}

class ProgramParser {
  readonly #read: ExpressionParser;
  #isInRule = false;
  #function: string | undefined;
  #loops = 0;

  constructor(text: string) {
    this.#read = new ExpressionParser(text);
  }

  parse(): ProgramTree {
    const read = this.#read;
    const begin: (readonly AwkStatement[])[] = [];
    const end: (readonly AwkStatement[])[] = [];
    const rules: Rule[] = [];
    const functions: FunctionTree[] = [];
    let needsEnd = false;
    while (!read.is("end")) {
      if (needsEnd) {
        if (!read.is("newline", ";")) throw read.fault("expected `;` or the end of the line between rules");
        read.advance();
        needsEnd = false;
      }
      read.skipLines();
      if (read.is("end")) break;
      if (read.skip("BEGIN")) begin.push(this.#block());
      else if (read.skip("END")) end.push(this.#block());
      else if (read.skip("function")) functions.push(this.#functionTree());
      else {
        const rule = this.#rule();
        rules.push(rule);
        needsEnd = rule.action === undefined;
      }
    }
    read.checkLists();
    return { begin, rules, end, functions, refusals: read.refusals };
  }

  #rule(): Rule {
    const read = this.#read;
    this.#isInRule = true;
    const patterns: AwkExpression[] = [];
    if (!read.is("{")) patterns.push(read.expression());
    if (!read.is("{", "end", "newline", ";")) {
      read.comma();
      patterns.push(read.expression());
    }
    const action = read.is("{") ? this.#block() : undefined;
    this.#isInRule = false;
    return { patterns, action };
  }

  #functionTree(): FunctionTree {
    const read = this.#read;
    const { name, place } = read.name();
    read.expect("(");
    const parameters: string[] = [];
    while (!read.is(")")) {
      if (parameters.length > 0) read.comma();
      const parameter = read.name();
      if (parameter.name === name)
        throw read.fault("a parameter cannot have the name of its function", parameter.place);
      if (parameters.includes(parameter.name))
        throw read.fault(`the parameter \`${parameter.name}\` occurs twice`, parameter.place);
      parameters.push(parameter.name);
    }
    read.expect(")");
    read.skipLines();
    this.#function = name;
    const body = this.#block();
    this.#function = undefined;
    return { name, parameters, body, place };
  }

  /** Reads statements in braces. */
  #block(): readonly AwkStatement[] {
    const read = this.#read;
    read.expect("{");
    read.skipLines();
    const statements: AwkStatement[] = [];
    while (!read.is("}", "end")) {
      if (read.is(";", "newline")) read.advance();
      else statements.push(this.#statement());
    }
    read.expect("}");
    read.skip(";");
    return statements;
  }

  /** Reads the body of a statement: one statement, none, or several in braces. */
  #body(): readonly AwkStatement[] {
    const read = this.#read;
    return read.nested(() => {
      if (read.skip(";")) return [];
      return read.is("{") ? this.#block() : [this.#statement()];
    });
  }

  #loopBody(): readonly AwkStatement[] {
    this.#loops++;
    const body = this.#body();
    this.#loops--;
    return body;
  }

  #statement(): AwkStatement {
    const read = this.#read;
    const statement = this.#compound() ?? this.#simple();
    const isSeparated = read.is("newline", ";", "}") || ["newline", ";", "}"].includes(read.last.kind);
    if (!isSeparated) throw read.fault("expected `;` or the end of the line between statements");
    while (read.is("newline", ";")) read.advance();
    return statement;
  }

  #compound(): AwkStatement | undefined {
    const read = this.#read;
    const { kind } = read.token;
    switch (kind) {
      case "if":
        return this.#if();
      case "for":
        return this.#for();
      case "while": {
        read.advance();
        const test = this.#test();
        read.skipLines();
        return { kind: "Loop", first: undefined, test, next: undefined, body: this.#loopBody(), isDo: false };
      }
      case "do": {
        read.advance();
        read.skipLines();
        const body = this.#loopBody();
        read.expect("while");
        return { kind: "Loop", first: undefined, test: this.#test(), next: undefined, body, isDo: true };
      }
      case "break":
      case "continue":
        if (this.#loops === 0) throw read.fault(`\`${kind}\` has to be inside a loop`);
        read.advance();
        return { kind: kind === "break" ? "Break" : "Continue" };
      case "next":
      case "nextfile":
        if (!this.#isInRule && this.#function === undefined)
          throw read.fault(`\`${kind}\` cannot be inside BEGIN or END`);
        read.advance();
        return { kind: kind === "next" ? "Next" : "NextFile" };
      case "exit":
        read.advance();
        return { kind: "Exit", value: this.#optionalValue() };
      case "return":
        if (this.#function === undefined) throw read.fault("`return` has to be inside a function");
        read.advance();
        return { kind: "Return", value: this.#optionalValue() };
      case "{":
        return { kind: "Block", body: read.nested(() => this.#block()) };
      default:
        return undefined;
    }
  }

  #test(): AwkExpression {
    const read = this.#read;
    read.expect("(");
    const test = read.expression();
    read.expect(")");
    return test;
  }

  #optionalValue(): AwkExpression | undefined {
    return this.#read.is("newline", ";", "}") ? undefined : this.#read.expression();
  }

  #if(): AwkStatement {
    const read = this.#read;
    read.advance();
    const test = this.#test();
    read.skipLines();
    const body = this.#body();
    read.skipLines();
    if (!read.skip("else")) return { kind: "If", test, body, otherwise: [] };
    read.skipLines();
    return { kind: "If", test, body, otherwise: this.#body() };
  }

  /** `for (key in array)`, or `for (first; test; next)` */
  #for(): AwkStatement {
    const read = this.#read;
    read.advance();
    read.expect("(");
    const start = read.token;
    const first = read.is(";") ? undefined : this.#simple();
    if (first !== undefined && read.is(")")) {
      read.advance();
      read.skipLines();
      const inside = first.kind === "Expression" ? first.expression : undefined;
      const [variable] = inside?.kind === "In" && inside.index.length === 1 ? inside.index : [];
      if (inside?.kind !== "In" || variable?.kind !== "Variable")
        throw read.fault("expected `for (name in array)`", { start: start.start, end: read.last.end });
      return { kind: "ForIn", variable, array: inside.array, body: this.#loopBody() };
    }
    read.expect(";");
    read.skipLines();
    const test = read.is(";") ? undefined : read.expression();
    read.expect(";");
    read.skipLines();
    const next = read.is(")") ? undefined : this.#simple();
    read.expect(")");
    read.skipLines();
    return { kind: "Loop", first, test, next, body: this.#loopBody(), isDo: false };
  }

  /** Reads a statement that can be part of `for`. */
  #simple(): AwkStatement {
    const read = this.#read;
    const { kind } = read.token;
    if (kind === "print" || kind === "printf") return this.#print(kind);
    if (read.skip("delete")) {
      const array = read.name();
      return { kind: "Delete", array, index: read.skip("[") ? read.index() : [] };
    }
    if (
      ["if", "for", "while", "do", "break", "continue", "next", "nextfile", "exit", "return"].includes(kind)
    )
      throw read.fault("expected `print`, `printf`, `delete` or an expression");
    return { kind: "Expression", expression: read.expression() };
  }

  #print(kind: "print" | "printf"): AwkStatement {
    const read = this.#read;
    const start = read.advance();
    const items = read.printItems();
    if (read.is(">", ">>", "|")) {
      const isCommand = read.advance().kind === "|";
      read.expression();
      read.refuse(isCommand ? refused.commands : refused.files, start);
    }
    if (kind === "print") return { kind: "Print", items };
    if (items.length === 0) throw read.fault("`printf` needs a format");
    return { kind: "Printf", items };
  }
}
