// Parses the expressions of AWK programs.

import { bytewise } from "../../text/utf8.ts";
import { builtinArity } from "./lexer.ts";
import { patternOf } from "./patterns.ts";
import {
  type ArithmeticSign,
  type AwkExpression,
  type AwkTarget,
  type ComparisonSign,
  isTarget,
  type NamedExpression,
} from "./syntax.ts";
import { refused, TokenReader } from "./tokens.ts";

/** How many operations an expression may have on the way to its first operand. */
const longest = 1000;

const assignments: ReadonlySet<string> = /* @__PURE__ */ new Set(["=", "+=", "-=", "*=", "/=", "%=", "^="]);
const comparisons: ReadonlySet<string> = /* @__PURE__ */ new Set(["==", "!=", "<", "<=", ">=", ">"]);
const starters: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "$",
  "@",
  "!",
  "name",
  "number",
  "text",
  "(",
  "++",
  "--",
  "builtin",
]);
const listEnds: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "newline",
  ";",
  "}",
  "]",
  ")",
  ">",
  "|",
  ">>",
  "end",
]);

/** The part of a parser that reads expressions. */
export class ExpressionParser extends TokenReader {
  /** The lists in parentheses that nothing accepted yet. */
  readonly #lists = new Set<Extract<AwkExpression, { kind: "Several" }>>();
  readonly #sizes = new WeakMap<AwkExpression, number>();

  /** Reports a list in parentheses that is no list of arguments. */
  checkLists(): void {
    const [first] = [...this.#lists].sort((one, other) => one.place.start - other.place.start);
    if (first !== undefined) throw this.fault("unexpected list of expressions", first.place);
  }

  /** Returns the items of `print` or `printf`, without parentheses around all of them. */
  printItems(): readonly AwkExpression[] {
    const items = this.list(true);
    const [only] = items;
    if (items.length !== 1 || only?.kind !== "Several") return items;
    this.#lists.delete(only);
    return only.items;
  }

  /** Reads expressions between commas. */
  list(isPrint = false): readonly AwkExpression[] {
    const items: AwkExpression[] = [];
    while (!listEnds.has(this.token.kind)) {
      if (items.length > 0) this.comma();
      items.push(isPrint ? this.#assignment(true) : this.expression());
    }
    return items;
  }

  comma(): void {
    this.expect(",");
    this.skipLines();
  }

  name(): NamedExpression {
    const { value, start, end } = this.expect("name");
    return { kind: "Variable", name: value, place: { start, end } };
  }

  expression(): AwkExpression {
    const { start } = this.token;
    const expression = this.#assignment(false);
    if (!this.skip("|")) return expression;
    this.expect("getline");
    const target = this.#optionalTarget();
    this.refuse(refused.commands, { start, end: start });
    return { kind: "Getline", target };
  }

  /** In `isPrint`, `>` and `|` belong to the statement. */
  #assignment(isPrint: boolean): AwkExpression {
    return this.nested(() => {
      const place = this.token;
      const left = this.#condition(isPrint);
      if (!assignments.has(this.token.kind)) return left;
      if (left.kind === "NamedField") throw this.fault("a field cannot be set by its name", place);
      const sign = this.advance().kind;
      const value = this.#assignment(isPrint);
      if (isTarget(left)) return assigned(left, sign, value);
      // As other AWKs, `1 && x = 1` assigns to the last operand.
      const isOperation = left.kind === "Logic" || left.kind === "Match" || left.kind === "Comparison";
      if (isOperation && isTarget(left.right)) return { ...left, right: assigned(left.right, sign, value) };
      throw this.fault(`only a variable, a field or an element can precede \`${sign}\``, place);
    });
  }

  #condition(isPrint: boolean): AwkExpression {
    const test = this.#or(isPrint);
    if (!this.skip("?")) return test;
    this.skipLines();
    const yes = this.expression();
    this.expect(":");
    this.skipLines();
    return { kind: "Condition", test, yes, no: this.expression() };
  }

  #or(isPrint: boolean): AwkExpression {
    let left = this.#and(isPrint);
    while (this.skip("||")) {
      this.skipLines();
      left = this.#sized(left, { kind: "Logic", sign: "||", left, right: this.#and(isPrint) });
    }
    return left;
  }

  #and(isPrint: boolean): AwkExpression {
    let left = this.#in(isPrint);
    while (this.skip("&&")) {
      this.skipLines();
      left = this.#sized(left, { kind: "Logic", sign: "&&", left, right: this.#in(isPrint) });
    }
    return left;
  }

  #in(isPrint: boolean): AwkExpression {
    let left = this.#match(isPrint);
    while (this.skip("in")) left = this.#sized(left, { kind: "In", index: [left], array: this.name() });
    return left;
  }

  #match(isPrint: boolean): AwkExpression {
    const left = this.#comparison(isPrint);
    if (!this.is("~", "!~")) return left;
    const isNegated = this.advance().kind === "!~";
    return { kind: "Match", isNegated, left, right: this.#pattern(() => this.#comparison(isPrint)) };
  }

  #comparison(isPrint: boolean): AwkExpression {
    const left = this.#concatenation();
    const { kind } = this.token;
    if (!comparisons.has(kind) || (isPrint && kind === ">")) return left;
    this.advance();
    return { kind: "Comparison", sign: kind as ComparisonSign, left, right: this.#concatenation() };
  }

  #concatenation(): AwkExpression {
    const first = this.#sum();
    if (!starters.has(this.token.kind)) return first;
    const items = [first];
    while (starters.has(this.token.kind)) items.push(this.#sum());
    return { kind: "Concatenation", items };
  }

  #sum(): AwkExpression {
    let left = this.#product();
    while (this.is("+", "-")) left = this.#arithmetic(left, () => this.#product());
    return left;
  }

  #product(): AwkExpression {
    let left = this.#power();
    while (this.is("*", "/", "%")) left = this.#arithmetic(left, () => this.#power());
    return left;
  }

  #arithmetic(left: AwkExpression, read: () => AwkExpression): AwkExpression {
    const sign = this.advance().kind as ArithmeticSign;
    return this.#sized(left, { kind: "Arithmetic", sign, left, right: read() });
  }

  #power(): AwkExpression {
    const left = this.#increment();
    if (!this.skip("^")) return left;
    return { kind: "Arithmetic", sign: "^", left, right: this.nested(() => this.#power()) };
  }

  #increment(): AwkExpression {
    const operand = this.#primary();
    if (!this.is("++", "--") || !isTarget(operand)) return operand;
    const by = this.advance().kind === "++" ? 1 : -1;
    return { kind: "Increment", target: operand, by, isBefore: false };
  }

  /** Limits how many operations are chained: each is a call within the call of the next one. */
  #sized<E extends AwkExpression>(left: AwkExpression, whole: E): E {
    const right = "right" in whole ? whole.right : left;
    const size = Math.max(this.#sizes.get(left) ?? 0, this.#sizes.get(right) ?? 0) + 1;
    if (size > longest) throw this.fault(`more than ${longest} operations are chained`);
    this.#sizes.set(whole, size);
    return whole;
  }

  #primary(): AwkExpression {
    const token = this.token;
    switch (token.kind) {
      case "number":
        this.advance();
        return { kind: "Number", value: Number(token.value) };
      case "text":
        this.advance();
        return { kind: "Text", value: token.value };
      case "/":
      case "/=":
        return { kind: "Regexp", source: this.#regexp() };
      case "$":
        this.advance();
        return { kind: "Field", index: this.nested(() => this.#primary()) };
      case "@":
        this.advance();
        return { kind: "NamedField", name: this.nested(() => this.#primary()) };
      case "!":
      case "+":
      case "-":
        this.advance();
        return { kind: "Unary", sign: token.kind, operand: this.nested(() => this.#power()) };
      case "++":
      case "--": {
        this.advance();
        const place = this.token;
        const target = this.#optionalTarget();
        if (target === undefined)
          throw this.fault(`expected a variable, a field or an element after \`${token.kind}\``, place);
        return { kind: "Increment", target, by: token.kind === "++" ? 1 : -1, isBefore: true };
      }
      case "name": {
        const isCall = this.isCall();
        const name = this.name();
        if (isCall) return this.#call(name);
        return this.#element(name);
      }
      case "(":
        return this.#group();
      case "getline":
        return this.#getline();
      case "builtin":
        return this.#builtin();
      default:
        throw this.fault(`expected an expression instead of ${this.found()}`);
    }
  }

  /** Returns an element if `[` follows, otherwise the variable. */
  #element(array: NamedExpression): AwkTarget {
    if (!this.skip("[")) return array;
    return { kind: "Element", array, index: this.index() };
  }

  /** Reads an index up to its `]`. */
  index(): readonly AwkExpression[] {
    const index = this.list();
    if (index.length === 0) throw this.fault(`expected an expression instead of ${this.found()}`);
    this.expect("]");
    return index;
  }

  #optionalTarget(): AwkTarget | undefined {
    if (this.is("name") && !this.isCall()) return this.#element(this.name());
    if (!this.skip("$")) return undefined;
    return { kind: "Field", index: this.nested(() => this.#primary()) };
  }

  #group(): AwkExpression {
    const { start } = this.advance();
    const items = this.list();
    const [first] = items;
    if (first === undefined) throw this.fault(`expected an expression instead of ${this.found()}`);
    const { end } = this.expect(")");
    if (items.length === 1) return this.#sized(first, { kind: "Group", inner: first });
    if (this.skip("in")) return { kind: "In", index: items, array: this.name() };
    const several = { kind: "Several", items, place: { start, end } } as const;
    this.#lists.add(several);
    return several;
  }

  #getline(): AwkExpression {
    const place = this.advance();
    const target = this.#optionalTarget();
    if (this.skip("<")) {
      this.nested(() => this.#primary());
      this.refuse(refused.files, place);
    }
    return { kind: "Getline", target };
  }

  #call({ name, place }: NamedExpression): AwkExpression {
    this.expect("(");
    const args: AwkExpression[] = [];
    while (!this.is("newline", ")")) {
      if (args.length > 0) this.comma();
      args.push(this.expression());
    }
    this.expect(")");
    return { kind: "Call", name, args, place };
  }

  #builtin(): AwkExpression {
    const place = this.advance();
    const name = place.value;
    const [least, most] = builtinArity.get(name) ?? [0, 0];
    // `length` needs no parentheses.
    if (name === "length" && !this.is("(")) return { kind: "Builtin", name, args: [] };
    this.expect("(");
    const args: AwkExpression[] = [];
    while (!this.is(")") && args.length < most) {
      if (args.length > 0) this.comma();
      args.push(this.#argument(name, args.length));
    }
    const { end } = this.token;
    if (args.length < least || !this.is(")")) {
      const taken =
        least === most
          ? String(most)
          : most === Number.POSITIVE_INFINITY
            ? `at least ${least}`
            : `${least} to ${most}`;
      const isEnd = this.is(")", ",");
      if (isEnd) throw this.fault(`\`${name}\` takes ${taken} arguments`, { start: place.start, end });
    }
    this.expect(")");
    if (name === "system") this.refuse(refused.commands, place);
    return { kind: "Builtin", name, args };
  }

  #argument(name: string, index: number): AwkExpression {
    const place = this.token;
    const takesPattern =
      ((name === "sub" || name === "gsub") && index === 0) ||
      (name === "match" && index === 1) ||
      (name === "split" && index === 2);
    if (takesPattern) return this.#pattern(() => this.expression());
    if (name === "split" && index === 1) return this.name();
    const argument = this.expression();
    if ((name === "sub" || name === "gsub") && index === 2 && !isTarget(argument))
      throw this.fault(`the third argument of \`${name}\` has to be a variable, a field or an element`, {
        start: place.start,
        end: this.last.end,
      });
    return argument;
  }

  /** Reads a regular expression, which is a text here, or another expression. */
  #pattern(read: () => AwkExpression): AwkExpression {
    return this.is("/", "/=") ? { kind: "Text", value: this.#regexp() } : read();
  }

  #regexp(): string {
    const token = this.regexp();
    const source = bytewise(token.value);
    patternOf(source, (reason) => {
      throw this.fault(reason, token);
    });
    this.advance();
    return source;
  }
}

function assigned(target: AwkTarget, sign: string, value: AwkExpression): AwkExpression {
  if (sign === "=") return { kind: "Assign", target, value };
  return { kind: "Update", target, sign: sign.slice(0, 1) as ArithmeticSign, value };
}
