// Compiles templates to functions. What can only fail is reported when the templates are compiled.

import { MappingError } from "../../errors.ts";
import { maxInt64, minInt64 } from "../../mapping/numeric.ts";
import { mostBytes, tooLarge } from "../../mapping/size-limits.ts";
import { SourceNumber } from "../../message/value.ts";
import { type Run, spendOnText } from "../jq/run.ts";
import {
  callSignature,
  literalArgument,
  methodOf,
  type ParameterType,
  parameterAt,
  type Signature,
  signatureOf,
  validated,
} from "./calls.ts";
import { printed } from "./print.ts";
import { deepest, roundsOf, State, type TemplateSet } from "./state.ts";
import type {
  BranchNode,
  Command,
  NumberOperand,
  Operand,
  Pipe,
  TemplateNode,
  TemplateText,
  TextPlace,
} from "./syntax.ts";
import {
  Complex,
  Dict,
  Float,
  failure,
  Int,
  int,
  isTrue,
  type TemplateFunction,
  type TemplateValue,
  typeName,
} from "./values.ts";

/** A compiled template. Returns the text for a value. */
export type CompiledTemplate = (run: Run, dot: TemplateValue) => string;

/** The ways in which a part can end: with its text, or by leaving a loop or its current round. */
const ended = 0;
const broken = 1;
const continued = 2;
type End = typeof ended | typeof broken | typeof continued;

type Step = (state: State, dot: TemplateValue) => End;
type Evaluate = (state: State, dot: TemplateValue) => TemplateValue;
/** A command receives the value of the command before it. */
type EvaluateCommand = (state: State, dot: TemplateValue, last: TemplateValue) => TemplateValue;

/** Compiles the template `name` of a set. */
export function compileTemplates(set: TemplateSet, name: string): CompiledTemplate {
  const bodies = new Map<string, Step>();
  for (const [key, tree] of set.trees) bodies.set(key, new Compiler(set, tree.from, bodies).body(tree.body));
  const main = bodies.get(name) ?? (() => ended);
  const from = set.trees.get(name)?.from ?? { name, text: "" };
  return (run, dot) => {
    const state = new State(run, from, dot);
    try {
      main(state, dot);
    } catch (error) {
      if (error instanceof MappingError) throw state.placed(error);
      throw error;
    }
    return state.text;
  };
}

class Compiler {
  readonly #set: TemplateSet;
  readonly #from: TemplateText;
  readonly #bodies: ReadonlyMap<string, Step>;

  constructor(set: TemplateSet, from: TemplateText, bodies: ReadonlyMap<string, Step>) {
    this.#set = set;
    this.#from = from;
    this.#bodies = bodies;
  }

  body(nodes: readonly TemplateNode[]): Step {
    const steps = nodes.map((node) => this.#step(node));
    const [only] = steps;
    if (steps.length === 1 && only !== undefined) return only;
    return (state, dot) => {
      for (const step of steps) {
        const end = step(state, dot);
        if (end !== ended) return end;
      }
      return ended;
    };
  }

  #step(node: TemplateNode): Step {
    switch (node.kind) {
      case "Text": {
        const { text } = node;
        const cost = 1 + (text.length >> 4);
        return (state) => {
          state.run.step(cost);
          state.write(text);
          return ended;
        };
      }
      case "Action":
        return this.#action(node.pipe);
      case "If":
      case "With":
        return this.#choice(node);
      case "Range":
        return this.#range(node);
      case "Call":
        return this.#call(node.name, node.pipe, node.place);
      case "Break":
        return () => broken;
      case "Continue":
        return () => continued;
    }
  }

  #action(pipe: Pipe): Step {
    const evaluate = this.#pipe(pipe);
    if (pipe.variables.length > 0)
      return (state, dot) => {
        evaluate(state, dot);
        return ended;
      };
    return (state, dot) => {
      const value = evaluate(state, dot);
      const text = value === undefined ? "<no value>" : printed(value);
      spendOnText(text);
      state.write(text);
      return ended;
    };
  }

  #choice({ kind, pipe, body, otherwise }: BranchNode): Step {
    const evaluate = this.#pipe(pipe);
    const then = this.body(body);
    const not = this.body(otherwise);
    return (state, dot) => {
      const scope = state.names.length;
      const value = evaluate(state, dot);
      const end = isTrue(value) ? then(state, kind === "With" ? value : dot) : not(state, dot);
      state.leave(scope);
      return end;
    };
  }

  #range({ pipe, body, otherwise }: BranchNode): Step {
    const evaluate = this.#pipe(pipe);
    const round = this.body(body);
    const not = this.body(otherwise);
    const { variables, isAssignment, place } = pipe;
    const [first, second] = variables;
    return (state, dot) => {
      const scope = state.names.length;
      const value = evaluate(state, dot);
      const inner = state.names.length;
      state.at = place.start;
      if (value instanceof Int && second !== undefined)
        throw failure("an integer cannot be iterated with two variables");
      let isEmpty = true;
      for (const [key, element] of roundsOf(value)) {
        isEmpty = false;
        state.run.step();
        if (first !== undefined) {
          const one = second === undefined ? element : key;
          if (isAssignment) state.values[state.indexOf(first)] = one;
          else state.values[inner - variables.length] = one;
        }
        if (second !== undefined) {
          if (isAssignment) state.values[state.indexOf(second)] = element;
          else state.values[inner - 1] = element;
        }
        const end = round(state, element);
        state.leave(inner);
        if (end === broken) break;
      }
      const end = isEmpty ? not(state, dot) : ended;
      state.leave(scope);
      return end;
    };
  }

  #call(name: string, pipe: Pipe | undefined, place: TextPlace): Step {
    if (!this.#set.trees.has(name)) this.#report(`template \`${name}\` is not defined`, place);
    const from = this.#set.trees.get(name)?.from ?? this.#from;
    const evaluate = pipe === undefined ? undefined : this.#pipe(pipe);
    const bodies = this.#bodies;
    return (state, dot) => {
      state.run.step();
      const value = evaluate?.(state, dot);
      const { names, values, from: caller } = state;
      state.at = place.start;
      if (state.depth === deepest) throw failure(`templates call each other more than ${deepest} times`);
      state.depth++;
      state.names = ["$"];
      state.values = [value];
      state.from = from;
      bodies.get(name)?.(state, value);
      state.depth--;
      state.names = names;
      state.values = values;
      state.from = caller;
      return ended;
    };
  }

  #pipe({ commands, variables, isAssignment }: Pipe): Evaluate {
    const evaluates = commands.map((command, index) => this.#command(command, index > 0));
    const [only] = evaluates;
    const run: Evaluate =
      evaluates.length === 1 && only !== undefined
        ? (state, dot) => only(state, dot, undefined) ?? undefined
        : (state, dot) => {
            let value: TemplateValue;
            for (const evaluate of evaluates) value = evaluate(state, dot, value) ?? undefined;
            return value;
          };
    if (variables.length === 0) return run;
    return (state, dot) => {
      const value = run(state, dot);
      for (const name of variables) {
        if (isAssignment) state.values[state.indexOf(name)] = value;
        else state.declare(name, value);
      }
      return value;
    };
  }

  /** `isNext`: whether the command receives a value from the command before it. */
  #command({ first, args, place }: Command, isNext: boolean): EvaluateCommand {
    switch (first.kind) {
      case "Function":
        return this.#function(first.name, first.place, args, isNext, place);
      case "Field":
        return this.#fields((_, dot) => dot, first.path, first.place, args, isNext);
      case "Chain":
        return this.#fields(this.#chained(first.target), first.path, first.place, args, isNext);
      case "Variable": {
        const variable = this.#variable(first.name);
        if (first.path.length > 0) return this.#fields(variable, first.path, first.place, args, isNext);
        if (args.length > 0 || isNext) this.#report(`a variable takes no argument`, place);
        return variable;
      }
      case "Nil":
        this.#report("`nil` is not a command", place);
        return () => undefined;
      default:
        if (args.length > 0 || isNext) this.#report("a value takes no argument", place);
        return this.#operand(first);
    }
  }

  /** Returns the value of an operand where any type is allowed. */
  #operand(operand: Operand): Evaluate {
    switch (operand.kind) {
      case "Dot":
        return (_, dot) => dot;
      case "Nil":
        return () => null;
      case "Bool":
      case "String":
        return () => operand.value;
      case "Number": {
        const value = this.#ideal(operand);
        return () => value;
      }
      case "Pipe":
        return this.#pipe(operand);
      default:
        return this.#command({ first: operand, args: [], place: operand.place }, false) as Evaluate;
    }
  }

  #chained(target: Operand): Evaluate {
    return this.#operand(target);
  }

  #variable(name: string): Evaluate {
    return (state) => state.values[state.indexOf(name)];
  }

  /** `.a.b`. Methods at the end of the path receive the arguments. */
  #fields(
    target: Evaluate,
    path: readonly string[],
    place: TextPlace,
    args: readonly Operand[],
    isNext: boolean,
  ): EvaluateCommand {
    const count = path.length - 1;
    const name = path[count] ?? "";
    const at = place.start;
    const hasArgs = args.length > 0 || isNext;
    return (state, dot, last) => {
      let value = target(state, dot);
      state.at = at;
      for (let index = 0; index < count; index++) value = this.#field(value, path[index] ?? "");
      if (value instanceof Dict && !hasArgs) return value.get(name);
      if (value === undefined) return undefined;
      const method = methodOf(value, name);
      if (method === undefined) {
        if (hasArgs && value instanceof Dict)
          throw failure(`\`.${name}\` is not a function but has arguments`);
        return this.#field(value, name);
      }
      const call = this.#method(method, name, args, place, isNext);
      return call(state, dot, last);
    };
  }

  #field(value: TemplateValue, name: string): TemplateValue {
    if (value instanceof Dict) return value.get(name);
    if (value === undefined) return undefined;
    if (value === null) throw failure(`\`.${name}\` of null`);
    const method = methodOf(value, name);
    if (method === undefined)
      throw failure(`\`.${name}\` does not exist in a value of type ${typeName(value)}`);
    const { least } = signatureOf(method.takes);
    if (least > 0) throw failure(`\`${name}\` requires ${least} arguments`);
    return (method.call as () => TemplateValue)();
  }

  #method(
    method: TemplateFunction,
    name: string,
    args: readonly Operand[],
    place: TextPlace,
    isNext: boolean,
  ): EvaluateCommand {
    const signature = signatureOf(method.takes);
    const wrong = callSignature(name, signature, args.length + (isNext ? 1 : 0));
    if (wrong !== undefined) throw failure(wrong);
    return this.#calling(method, signature, args, place, isNext);
  }

  #function(
    name: string,
    place: TextPlace,
    args: readonly Operand[],
    isNext: boolean,
    whole: TextPlace,
  ): EvaluateCommand {
    const found = this.#set.find(name, place, this.#from);
    if (found === undefined) {
      // What is inside the arguments is reported as well.
      for (const arg of args) this.#operand(arg);
      return () => undefined;
    }
    const signature = signatureOf(found.takes);
    const wrong = callSignature(name, signature, args.length + (isNext ? 1 : 0));
    if (wrong !== undefined) {
      this.#report(wrong, whole);
      return () => undefined;
    }
    if (found === lazyAnd || found === lazyOr) return this.#logic(found === lazyOr, args, isNext);
    return this.#calling(found, signature, args, place, isNext);
  }

  /** `and` and `or` only evaluate the arguments up to the one that decides. */
  #logic(decisive: boolean, args: readonly Operand[], isNext: boolean): EvaluateCommand {
    const evaluates = args.map((arg) => this.#argument(arg, "value"));
    return (state, dot, last) => {
      let value: TemplateValue;
      for (const evaluate of evaluates) {
        value = evaluate(state, dot);
        if (isTrue(value) === decisive) return value;
      }
      return isNext ? last : value;
    };
  }

  #calling(
    { call }: TemplateFunction,
    signature: Signature,
    args: readonly Operand[],
    { start }: TextPlace,
    isNext: boolean,
  ): EvaluateCommand {
    const evaluates = args.map((arg, index) => this.#argument(arg, parameterAt(signature, index)));
    const lastType = parameterAt(signature, args.length);
    const run = call as (...values: readonly unknown[]) => TemplateValue;
    return (state, dot, last) => {
      const values: unknown[] = [];
      for (const evaluate of evaluates) values.push(evaluate(state, dot));
      state.at = start;
      if (isNext) values.push(validated(last, lastType));
      state.run.step();
      for (const value of values) spendOnArgument(value);
      const result = run(...values);
      if (typeof result === "string") {
        spendOnText(result);
        if (result.length > mostBytes) throw tooLarge(mostBytes);
      }
      return result;
    };
  }

  /** Returns the argument as JavaScript receives it. Literals are converted here, and reported if they cannot be. */
  #argument(operand: Operand, type: ParameterType): Evaluate {
    const literal = literalArgument(operand, type);
    if (literal !== undefined) {
      if ("fault" in literal) this.#report(literal.fault, operand.place);
      const value = "value" in literal ? literal.value : undefined;
      return () => value as TemplateValue;
    }
    const evaluate = this.#operand(operand);
    const { start } = operand.place;
    return (state, dot) => {
      const value = evaluate(state, dot);
      state.at = start;
      return validated(value, type) as TemplateValue;
    };
  }

  /** Returns a number where no type is expected. */
  #ideal({ integer, float, complex, isFloat, text, place }: NumberOperand): TemplateValue {
    if (complex !== undefined) return new Complex(complex.real, complex.imaginary);
    if (isFloat) return new Float(float ?? 0);
    if (integer === undefined || integer > maxInt64 || integer < minInt64)
      this.#report(`\`${text}\` overflows int`, place);
    return int(integer ?? 0n);
  }

  #report(message: string, { start, end }: TextPlace): void {
    this.#set.report({ from: this.#from, message, start, end });
  }
}

/** Counts the cost of reading an argument: most functions read a whole text, even for the result `false`. */
function spendOnArgument(value: unknown): void {
  if (typeof value === "string") spendOnText(value);
  else if (value instanceof SourceNumber) spendOnText(value.toString());
}

/** The functions whose arguments are only evaluated up to the one that decides. */
export const lazyAnd: TemplateFunction = { takes: "value value...", call: () => undefined };
export const lazyOr: TemplateFunction = { takes: "value value...", call: () => undefined };
