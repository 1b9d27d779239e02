// Finds out what the names of a program are: functions, variables or arrays. A parameter without a use as one or the
// other gets the kind of the arguments.

import { specialNames } from "./state.ts";
import {
  type AwkExpression,
  type AwkStatement,
  type FunctionTree,
  type NamedExpression,
  type ProgramPlace,
  type ProgramProblem,
  type ProgramTree,
  problemAt,
} from "./syntax.ts";

type Kind = "scalar" | "array" | undefined;

type CallExpression = Extract<AwkExpression, { kind: "Call" }>;

/** Returns the number of arguments of a function of the library; `undefined` if it takes any number, or does not exist. */
type LibraryArity = (call: CallExpression) => number | undefined;

/** A program whose names are known. */
export interface ResolvedProgram {
  readonly tree: ProgramTree;
  readonly functions: ReadonlyMap<string, FunctionTree>;
  /** The variables and the arrays outside of functions. */
  readonly scalars: readonly string[];
  readonly arrays: readonly string[];
  /** Returns whether a name is an array. `within`: the function, `""` outside of all. */
  readonly isArray: (within: string, name: string) => boolean;
}

/** The arrays that every program has. */
const builtinArrays = ["ARGV", "FIELDS"];

/** Whether a name is a variable with a meaning. */
export function isSpecial(name: string): boolean {
  return (specialNames as readonly string[]).includes(name);
}

/** Resolves the names of a program. Problems that prevent it are thrown as `ProgramError`; others are reported. */
export function resolveProgram(
  tree: ProgramTree,
  arityOf: LibraryArity,
  report: (problem: ProgramProblem) => void,
): ResolvedProgram {
  const functions = new Map<string, FunctionTree>();
  for (const each of tree.functions) {
    if (functions.has(each.name))
      throw problemAt(each.place, `the function \`${each.name}\` is defined twice`);
    functions.set(each.name, each);
  }
  const resolver = new Resolver(tree, functions, arityOf, report);
  resolver.run();
  const globals = [...resolver.globals];
  const isArray = (within: string, name: string) => resolver.kindOf(within, name) === "array";
  return {
    tree,
    functions,
    scalars: globals.filter(([, kind]) => kind !== "array").map(([name]) => name),
    arrays: globals.filter(([, kind]) => kind === "array").map(([name]) => name),
    isArray,
  };
}

/** Determines the kinds of all names. Passes repeat until nothing changes. */
class Resolver {
  readonly globals = new Map<string, Kind>();
  readonly #tree: ProgramTree;
  readonly #functions: ReadonlyMap<string, FunctionTree>;
  readonly #arityOf: LibraryArity;
  readonly #report: (problem: ProgramProblem) => void;
  readonly #locals = new Map<string, Map<string, Kind>>();
  #within = "";
  #isFirstPass = true;
  #changes = 0;

  constructor(
    tree: ProgramTree,
    functions: ReadonlyMap<string, FunctionTree>,
    arityOf: LibraryArity,
    report: (problem: ProgramProblem) => void,
  ) {
    this.#tree = tree;
    this.#functions = functions;
    this.#arityOf = arityOf;
    this.#report = report;
    for (const { name, parameters } of functions.values())
      this.#locals.set(name, new Map(parameters.map((parameter) => [parameter, undefined])));
    for (const name of builtinArrays) this.globals.set(name, "array");
  }

  run(): void {
    for (let before = -1; before !== this.#changes; ) {
      before = this.#changes;
      for (const { name, body } of this.#tree.functions) {
        this.#within = name;
        this.#statements(body);
      }
      this.#within = "";
      const { begin, rules, end } = this.#tree;
      for (const body of begin) this.#statements(body);
      for (const { patterns, action } of rules) {
        this.#expressions(patterns);
        this.#statements(action ?? []);
      }
      for (const body of end) this.#statements(body);
      this.#isFirstPass = false;
    }
  }

  kindOf(within: string, name: string): Kind {
    const local = this.#locals.get(within);
    if (local?.has(name) === true) return local.get(name);
    return isSpecial(name) ? "scalar" : this.globals.get(name);
  }

  /** Records how a name is used. */
  #use({ name, place }: NamedExpression, kind: Kind, within = this.#within): void {
    const local = this.#locals.get(within);
    const scope = local?.has(name) === true ? local : this.globals;
    const isKnown = scope.has(name) || isSpecial(name);
    if (!isKnown) {
      if (name === "ENVIRON" && this.#isFirstPass) this.#report({ ...environment, ...place });
      if (this.#functions.has(name))
        throw problemAt(place, `\`${name}\` is a function, and cannot be a variable as well`);
      scope.set(name, kind);
      this.#changes++;
      return;
    }
    const known = this.kindOf(within, name);
    if (kind === undefined || known === kind) return;
    if (known !== undefined)
      throw problemAt(place, `\`${name}\` is ${named(known)}, and cannot be used as ${named(kind)}`);
    scope.set(name, kind);
    this.#changes++;
  }

  #statements(statements: readonly AwkStatement[]): void {
    for (const statement of statements) this.#statement(statement);
  }

  #statement(statement: AwkStatement): void {
    switch (statement.kind) {
      case "Expression":
        this.#expression(statement.expression);
        return;
      case "Print":
      case "Printf":
        this.#expressions(statement.items);
        return;
      case "If":
        this.#expression(statement.test);
        this.#statements(statement.body);
        this.#statements(statement.otherwise);
        return;
      case "Loop":
        if (statement.first !== undefined) this.#statement(statement.first);
        if (statement.test !== undefined) this.#expression(statement.test);
        if (statement.next !== undefined) this.#statement(statement.next);
        this.#statements(statement.body);
        return;
      case "ForIn":
        this.#use(statement.variable, "scalar");
        this.#use(statement.array, "array");
        this.#statements(statement.body);
        return;
      case "Exit":
      case "Return":
        if (statement.value !== undefined) this.#expression(statement.value);
        return;
      case "Delete":
        this.#use(statement.array, "array");
        this.#expressions(statement.index);
        return;
      case "Block":
        this.#statements(statement.body);
        return;
      default:
    }
  }

  #expressions(expressions: readonly AwkExpression[]): void {
    for (const expression of expressions) this.#expression(expression);
  }

  #expression(expression: AwkExpression): void {
    switch (expression.kind) {
      case "Variable":
        this.#use(expression, "scalar");
        return;
      case "Element":
        this.#expressions(expression.index);
        this.#use(expression.array, "array");
        return;
      case "In":
        this.#expressions(expression.index);
        this.#use(expression.array, "array");
        return;
      case "Field":
        this.#expression(expression.index);
        return;
      case "NamedField":
        this.#expression(expression.name);
        return;
      case "Assign":
      case "Update":
        this.#expression(expression.target);
        this.#expression(expression.value);
        return;
      case "Increment":
        this.#expression(expression.target);
        return;
      case "Arithmetic":
      case "Comparison":
      case "Logic":
      case "Match":
        this.#expression(expression.left);
        this.#expression(expression.right);
        return;
      case "Concatenation":
      case "Several":
        this.#expressions(expression.items);
        return;
      case "Unary":
        this.#expression(expression.operand);
        return;
      case "Condition":
        this.#expression(expression.test);
        this.#expression(expression.yes);
        this.#expression(expression.no);
        return;
      case "Group":
        this.#expression(expression.inner);
        return;
      case "Getline":
        if (expression.target !== undefined) this.#expression(expression.target);
        return;
      case "Builtin":
        this.#builtin(expression.name, expression.args);
        return;
      case "Call":
        this.#call(expression);
        return;
      default:
    }
  }

  #builtin(name: string, args: readonly AwkExpression[]): void {
    for (const [index, argument] of args.entries()) {
      if (argument.kind !== "Variable") this.#expression(argument);
      // `length` takes either.
      else
        this.#use(
          argument,
          name === "length" ? undefined : name === "split" && index === 1 ? "array" : "scalar",
        );
    }
  }

  #call(call: CallExpression): void {
    const { name, args, place } = call;
    if (this.#locals.get(this.#within)?.has(name) === true)
      throw problemAt(place, `\`${name}\` is a parameter, and cannot be called`);
    const tree = this.#functions.get(name);
    if (this.#isFirstPass) {
      const most = tree?.parameters.length ?? this.#arityOf(call);
      if (most !== undefined && args.length > most)
        this.#report({
          message: `\`${name}\` takes at most ${most} arguments, not ${args.length}`,
          ...place,
        });
    }
    for (const [index, argument] of args.entries()) {
      const parameter = tree?.parameters[index];
      if (tree === undefined || parameter === undefined) {
        this.#expression(argument);
        continue;
      }
      const expected = this.kindOf(name, parameter);
      if (argument.kind !== "Variable") {
        if (expected === "array") throw problemAt(place, `\`${name}\` takes an array as \`${parameter}\``);
        this.#expression(argument);
        continue;
      }
      const given = this.kindOf(this.#within, argument.name);
      if (given !== undefined && expected === undefined)
        this.#use({ ...argument, name: parameter, place: tree.place }, given, name);
      else if (given !== undefined && given !== expected)
        throw problemAt(
          argument.place,
          `\`${argument.name}\` is ${named(given)}, but \`${name}\` takes ${named(expected)}`,
        );
      this.#use(argument, expected);
    }
  }
}

function named(kind: Kind): string {
  return kind === "array" ? "an array" : "a variable";
}

const environment: Omit<ProgramProblem, keyof ProgramPlace> = {
  message: "programs cannot read the environment, whose secrets would get into messages",
  hint: "Set metadata with `env()` in a `mapping`, and read it with `metadata_get`.",
};
