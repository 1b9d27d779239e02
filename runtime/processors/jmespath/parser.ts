// Compiles JMESPath expressions (https://jmespath.org/specification.html) to functions.

import { parseJsonText, printJson } from "../../message/json.ts";
import {
  compare,
  fieldOf,
  fromDocument,
  isList,
  isNumeric,
  isRecord,
  type JqValue,
  keysOf,
  recordOf,
  toDocument,
} from "../jq/values.ts";
import { callFunction, type FunctionArgument } from "./functions.ts";

/** An invalid expression. */
export class JmespathSyntaxError extends Error {}

/** Evaluates an expression on a value. */
export type JmespathExpression = (value: JqValue) => JqValue;

/** A parsed expression. `name`: the name of a field, which may turn out to be a function. */
interface Parsed {
  readonly run: JmespathExpression;
  readonly name?: string;
}

interface Token {
  readonly kind: string;
  readonly text: string;
}

const words =
  /\s*(?:([A-Za-z_][A-Za-z0-9_]*)|("(?:[^"\\]|\\.)*")|('(?:[^'\\]|\\'|\\(?!'))*')|(`(?:[^`\\]|\\.)*`)|(-?[0-9]+)|(\|\||&&|==|!=|<=|>=|\[\?|\[\]|[.*[\]{}(),:|&!<>@]))/sy;
const kinds = ["name", "quoted", "raw", "literal", "number", "symbol"];
/** The binding power of the tokens that can follow a value. */
const powers: Readonly<Record<string, number>> = {
  "|": 1,
  "||": 2,
  "&&": 3,
  ...Object.fromEntries(["==", "!=", "<", "<=", ">", ">="].map((each) => [each, 5])),
  "[]": 9,
  "*": 20,
  "[?": 21,
  ".": 40,
  "!": 45,
  "{": 50,
  "[": 55,
  "(": 60,
};
const mostDepth = 500;
const identity: JmespathExpression = (value) => value;

/** Compiles an expression. Throws a `JmespathSyntaxError` if it is invalid. */
export function compileJmespath(text: string): JmespathExpression {
  return new Parser(tokensOf(text)).whole();
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const trimmed = text.trimEnd();
  for (let at = 0; at < trimmed.length; at = words.lastIndex) {
    words.lastIndex = at;
    const groups = words.exec(trimmed)?.slice(1);
    const index = groups?.findIndex((group) => group !== undefined) ?? -1;
    const word = groups?.[index];
    const kind = kinds[index];
    if (word === undefined || kind === undefined)
      throw new JmespathSyntaxError(
        `unexpected character at ${at + 1}: ${JSON.stringify(trimmed.slice(at).trimStart().slice(0, 1))}`,
      );
    tokens.push({ kind, text: word });
  }
  return tokens;
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): JmespathExpression {
    const { run } = this.#expression(0);
    if (this.#at < this.#tokens.length) throw this.#unexpected();
    return run;
  }

  #expression(power: number): Parsed {
    if (++this.#depth > mostDepth) throw new JmespathSyntaxError("the expression is nested too deeply");
    let left = this.#first();
    while (power < this.#power()) left = this.#next(left);
    this.#depth--;
    return left;
  }

  #first(): Parsed {
    const { kind, text } = this.#take();
    switch (kind) {
      case "name":
        return { run: field(text), name: text };
      case "quoted":
        return { run: field(quoted(text)) };
      case "raw": {
        // As in the reference, a backslash stands for itself unless a quote follows it.
        const value = text.slice(1, -1).replaceAll("\\'", "'");
        return { run: () => value };
      }
      case "literal": {
        const value = literal(text.slice(1, -1).replaceAll("\\`", "`"));
        return { run: () => value };
      }
      case "symbol":
        return { run: this.#prefix(text) };
      default:
        throw this.#unexpected(-1);
    }
  }

  #prefix(symbol: string): JmespathExpression {
    switch (symbol) {
      case "@":
        return identity;
      case "*":
        return values(identity, this.#isAt("]") ? identity : this.#projected(20));
      case "[]":
        return projection(flat(identity), this.#projected(9));
      case "[?":
        return this.#filter(identity);
      case "[":
        return this.#bracket(identity, true);
      case "{":
        return this.#hash();
      case "!": {
        const { run } = this.#expression(45);
        return (value) => !isTrue(run(value));
      }
      case "(": {
        const { run } = this.#expression(0);
        this.#expect(")");
        return run;
      }
      default:
        throw this.#unexpected(-1);
    }
  }

  #next(left: Parsed): Parsed {
    const { text } = this.#take();
    const { run } = left;
    switch (text) {
      case ".": {
        if (this.#accepts("*")) return { run: values(run, this.#projected(40)) };
        const right = this.#afterDot(40);
        return { run: (value) => through(run(value), right) };
      }
      case "|": {
        const right = this.#expression(1).run;
        return { run: (value) => right(run(value)) };
      }
      case "||": {
        const right = this.#expression(2).run;
        return { run: (value) => orElse(run(value), () => right(value)) };
      }
      case "&&": {
        const right = this.#expression(3).run;
        return {
          run: (value) => {
            const first = run(value);
            return isTrue(first) ? right(value) : first;
          },
        };
      }
      case "[]":
        return { run: projection(flat(run), this.#projected(9)) };
      case "[?":
        return { run: this.#filter(run) };
      case "[":
        return { run: this.#bracket(run, false) };
      case "(":
        return { run: this.#call(left.name) };
      default:
        return { run: comparison(text, run, this.#expression(5).run) };
    }
  }

  /** Parses what a projection selects from each element. */
  #projected(power: number): JmespathExpression {
    if (this.#power() < 10) return identity;
    if (this.#isAt("[") || this.#isAt("[?")) return this.#expression(power).run;
    if (this.#accepts(".")) return this.#afterDot(power);
    throw this.#unexpected();
  }

  #afterDot(power: number): JmespathExpression {
    if (this.#accepts("[")) return this.#list();
    if (this.#accepts("{")) return this.#hash();
    const { kind, text } = this.#tokens[this.#at] ?? { kind: "end", text: "" };
    if (kind !== "name" && kind !== "quoted" && text !== "*") throw this.#unexpected();
    return this.#expression(power).run;
  }

  #filter(source: JmespathExpression): JmespathExpression {
    const { run: test } = this.#expression(0);
    this.#expect("]");
    const right = this.#isAt("[]") ? identity : this.#projected(21);
    const matching: JmespathExpression = (value) => {
      const elements = source(value);
      return isList(elements) ? elements.filter((each) => isTrue(test(each))) : null;
    };
    return projection(matching, right);
  }

  /** Parses what follows `[`: an index, a slice, `*`, or several expressions if `mayList` is true. */
  #bracket(source: JmespathExpression, mayList: boolean): JmespathExpression {
    const { kind, text } = this.#tokens[this.#at] ?? { kind: "end", text: "" };
    if (kind === "number" || text === ":") return this.#index(source);
    if (text === "*" && this.#tokens[this.#at + 1]?.text === "]") {
      this.#at += 2;
      return projection(source, this.#projected(20));
    }
    if (!mayList) throw this.#unexpected();
    return this.#list();
  }

  #index(source: JmespathExpression): JmespathExpression {
    const parts: (number | undefined)[] = [undefined];
    while (!this.#accepts("]")) {
      const { kind, text } = this.#take();
      if (text === ":" && parts.length < 3) parts.push(undefined);
      else if (kind === "number" && parts.at(-1) === undefined) parts[parts.length - 1] = Number(text);
      else throw this.#unexpected(-1);
    }
    const [start, end, step] = parts;
    if (parts.length === 1) {
      const place = start ?? 0;
      return (value) => {
        const elements = source(value);
        return isList(elements) ? (elements.at(place) ?? null) : null;
      };
    }
    if (step === 0) throw new JmespathSyntaxError("the step of a slice is 0");
    const sliced: JmespathExpression = (value) => {
      const elements = source(value);
      return isList(elements) ? slice(elements, start, end, step ?? 1) : null;
    };
    return projection(sliced, this.#projected(20));
  }

  #list(): JmespathExpression {
    const items: JmespathExpression[] = [];
    do items.push(this.#expression(0).run);
    while (this.#accepts(","));
    this.#expect("]");
    return (value) => (value === null ? null : items.map((item) => item(value)));
  }

  #hash(): JmespathExpression {
    const entries: (readonly [string, JmespathExpression])[] = [];
    do {
      const { kind, text } = this.#take();
      if (kind !== "name" && kind !== "quoted") throw this.#unexpected(-1);
      this.#expect(":");
      entries.push([kind === "name" ? text : quoted(text), this.#expression(0).run]);
    } while (this.#accepts(","));
    this.#expect("}");
    return (value) =>
      value === null ? null : recordOf(entries.map(([key, entry]) => [key, entry(value)] as const));
  }

  #call(name: string | undefined): JmespathExpression {
    if (name === undefined) throw new JmespathSyntaxError("only a function can be called");
    const args: FunctionArgument<JmespathExpression>[] = [];
    while (!this.#accepts(")")) {
      const isReference = this.#accepts("&");
      args.push({ isReference, expression: this.#expression(isReference ? 60 : 0).run });
      if (!this.#isAt(")")) this.#expect(",");
    }
    const call = callFunction(name, args);
    if (typeof call === "string") throw new JmespathSyntaxError(call);
    return call;
  }

  #power(): number {
    const token = this.#tokens[this.#at];
    return token?.kind === "symbol" && Object.hasOwn(powers, token.text) ? (powers[token.text] ?? 0) : 0;
  }

  #isAt(symbol: string): boolean {
    const token = this.#tokens[this.#at];
    return token?.kind === "symbol" && token.text === symbol;
  }

  #accepts(symbol: string): boolean {
    const is = this.#isAt(symbol);
    if (is) this.#at++;
    return is;
  }

  #expect(symbol: string): void {
    if (!this.#accepts(symbol)) throw this.#unexpected();
  }

  #take(): Token {
    const token = this.#tokens[this.#at];
    this.#at++;
    if (token === undefined) throw this.#unexpected(-1);
    return token;
  }

  #unexpected(offset = 0): JmespathSyntaxError {
    const token = this.#tokens[this.#at + offset];
    return new JmespathSyntaxError(
      token === undefined ? "unexpected end of the expression" : `unexpected ${JSON.stringify(token.text)}`,
    );
  }
}

function quoted(text: string): string {
  const parsed = parseJsonText(text);
  if ("reason" in parsed || typeof parsed.value !== "string")
    throw new JmespathSyntaxError(`${text} is not a JSON string`);
  return parsed.value;
}

function literal(text: string): JqValue {
  const parsed = parseJsonText(text);
  if ("reason" in parsed) throw new JmespathSyntaxError(`\`${text}\` is not JSON`);
  const value = fromDocument(parsed.value);
  // An infinity cannot be printed: messages would become empty.
  if (printJson(toDocument(value)) === "")
    throw new JmespathSyntaxError(`\`${text}\` has a number that is out of range`);
  return value;
}

/** Whether a value counts as true. Empty values do not. */
export function isTrue(value: JqValue): boolean {
  if (isList(value)) return value.length > 0;
  if (isRecord(value)) return Object.keys(value).length > 0;
  return value !== null && value !== false && value !== "";
}

function field(name: string): JmespathExpression {
  return (value) => (isRecord(value) ? fieldOf(value, name) : null);
}

function through(value: JqValue, right: JmespathExpression): JqValue {
  return value === null ? null : right(value);
}

function orElse(value: JqValue, other: () => JqValue): JqValue {
  return isTrue(value) ? value : other();
}

function projection(source: JmespathExpression, right: JmespathExpression): JmespathExpression {
  return (value) => {
    const elements = source(value);
    return isList(elements) ? elements.map(right).filter((each) => each !== null) : null;
  };
}

function values(source: JmespathExpression, right: JmespathExpression): JmespathExpression {
  return (value) => {
    const object = source(value);
    if (!isRecord(object)) return null;
    return keysOf(object)
      .map((key) => right(fieldOf(object, key)))
      .filter((each) => each !== null);
  };
}

function flat(source: JmespathExpression): JmespathExpression {
  return (value) => {
    const elements = source(value);
    return isList(elements) ? elements.flatMap((each) => (isList(each) ? each : [each])) : null;
  };
}

function comparison(
  operator: string,
  left: JmespathExpression,
  right: JmespathExpression,
): JmespathExpression {
  return (value) => {
    const [a, b] = [left(value), right(value)];
    if (operator === "==") return compare(a, b) === 0;
    if (operator === "!=") return compare(a, b) !== 0;
    // Only numbers are ordered.
    if (!isNumeric(a) || !isNumeric(b)) return null;
    const order = compare(a, b);
    if (operator === "<") return order < 0;
    if (operator === "<=") return order <= 0;
    return operator === ">" ? order > 0 : order >= 0;
  };
}

function slice(
  elements: readonly JqValue[],
  start: number | undefined,
  end: number | undefined,
  step: number,
): readonly JqValue[] {
  const { length } = elements;
  const [least, most] = step > 0 ? [0, length] : [-1, length - 1];
  const clamp = (place: number) => Math.min(Math.max(place < 0 ? place + length : place, least), most);
  const from = start === undefined ? (step > 0 ? 0 : length - 1) : clamp(start);
  const to = end === undefined ? (step > 0 ? length : -1) : clamp(end);
  const taken: JqValue[] = [];
  for (let at = from; step > 0 ? at < to : at > to; at += step) taken.push(elements[at] ?? null);
  return taken;
}
