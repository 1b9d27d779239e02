// Compiles the tree of a query to a function. Calls are resolved by the name and the number of arguments.

import { attempting } from "./attempt.ts";
import { type BuiltinCall, type Builtins, plain } from "./builtin.ts";
import { mathBuiltins } from "./builtins-math.ts";
import { patternBuiltins } from "./builtins-patterns.ts";
import { queryBuiltins } from "./builtins-queries.ts";
import { textBuiltins } from "./builtins-texts.ts";
import { timeBuiltins } from "./builtins-times.ts";
import { valueBuiltins } from "./builtins-values.ts";
import { type Closure, computed, type Emit, type Filter, type JqScope, Leave, within } from "./filter.ts";
import { formatted, isFormat } from "./formats.ts";
import { JqSyntaxError } from "./lexer.ts";
import {
  closed,
  type FunctionEntry,
  findName,
  heldAt,
  type JqNames,
  type NameEntry,
  naming,
  scopeAt,
} from "./names.ts";
import { joined, negate, operations, plus } from "./operators.ts";
import { compilePatterns } from "./patterns.ts";
import { recursed } from "./recursion.ts";
import { compileFold, compileStep } from "./steps.ts";
import type { Definition, JqQuery } from "./syntax.ts";
import { compileUpdate } from "./updates.ts";
import { described, failure, isTruthy, type JqValue, numberOf, recordOf } from "./values.ts";

const tables: readonly Builtins[] = [
  queryBuiltins,
  valueBuiltins,
  textBuiltins,
  patternBuiltins,
  mathBuiltins,
  timeBuiltins,
  { "builtins/0": plain(() => tables.flatMap((table) => Object.keys(table)).sort()) },
];

/** Returns the builtin with this name and number of arguments. */
function findBuiltin(name: string, count: number): BuiltinCall | undefined {
  const key = `${name}/${count}`;
  return tables.find((table) => Object.hasOwn(table, key))?.[key];
}

/** Compiles a query. Throws a `JqSyntaxError` if it uses an undefined name. */
export function compileQuery(query: JqQuery, names: JqNames | undefined): Filter {
  const compile = (inner: JqQuery) => compileQuery(inner, names);
  switch (query.kind) {
    case "Identity":
      return (_, input, path, emit) => emit(input, path);
    case "RecurseDefault":
      return ({ run }, input, path, emit) => recursed(input, path, emit, run);
    case "Literal":
      return constant(query.value);
    case "Number":
      return constant(numberOf(query.text));
    case "Template":
      return compileTemplate(query.parts, query.format, names);
    case "Format": {
      const format = knownFormat(query.name);
      return (_, input, path, emit) => emit(formatted(format, input), computed(path));
    }
    case "Index":
    case "Slice":
    case "Iterate":
      return compileStep(query, compile);
    case "Pipe": {
      const [left, right] = [compile(query.left), compile(query.right)];
      return (scope, input, path, emit) =>
        left(scope, input, path, (value, place) => right(scope, value, place, emit));
    }
    case "Comma": {
      const [left, right] = [compile(query.left), compile(query.right)];
      return (scope, input, path, emit) => {
        left(scope, input, path, emit);
        right(scope, input, path, emit);
      };
    }
    case "Alternative":
      return compileAlternative(compile(query.left), compile(query.right));
    case "And":
      return compileLogic(compile(query.left), compile(query.right), false);
    case "Or":
      return compileLogic(compile(query.left), compile(query.right), true);
    case "Binary":
      return compileBinary(query.operator, compile(query.left), compile(query.right));
    case "Negate":
    case "Plus": {
      const operand = compile(query.operand);
      const change = query.kind === "Negate" ? negate : plus;
      return (scope, input, path, emit) =>
        operand(scope, input, undefined, (value) => emit(change(value), computed(path)));
    }
    case "Update":
      return compileUpdate(query.operator, compile(query.left), compile(query.right));
    case "If":
      return compileIf(compile(query.test), compile(query.then), query.otherwise && compile(query.otherwise));
    case "Try":
      return compileTry(compile(query.body), query.handler && compile(query.handler));
    case "Reduce":
    case "Foreach":
      return compileFold(query, names, compileQuery);
    case "Define":
      return compileQuery(query.body, defining(query.definition, names));
    case "Call":
      return compileCall(query.name, query.args, names);
    case "Variable":
      return compileVariable(query.name, names);
    case "Bind":
      return compilePatterns(query, names, compileQuery);
    case "Label": {
      const body = compileQuery(query.body, naming(names, "label", query.name));
      return (scope, input, path, emit) => {
        const label = {};
        try {
          body(within(scope, label), input, path, emit);
        } catch (error) {
          if (!(error instanceof Leave) || error.label !== label) throw error;
        }
      };
    }
    case "Break": {
      const found = findName(
        names,
        (entry): entry is NameEntry => entry.kind === "label" && entry.name === query.name,
      );
      if (found === undefined) throw new JqSyntaxError(`label not defined: ${query.name}`);
      return (scope) => {
        // A label always holds an object.
        throw new Leave(heldAt(scope, found.distance) as object);
      };
    }
    case "Object":
      return compileObject(query.entries.map(({ key, value }) => [compile(key), compile(value)] as const));
    case "Array":
      return compileArray(query.body && compile(query.body));
  }
}

function constant(value: JqValue): Filter {
  return (_, __, path, emit) => emit(value, computed(path));
}

function knownFormat(name: string): string {
  if (!isFormat(name)) throw new JqSyntaxError(`format not defined: ${name}`);
  return name;
}

/** Each query in a text may return several values. The last query varies slowest. */
function compileTemplate(
  parts: readonly (string | JqQuery)[],
  format: string | undefined,
  names: JqNames | undefined,
): Filter {
  const name = knownFormat(format ?? "@text");
  const filters = parts.map((part) => (typeof part === "string" ? part : compileQuery(part, names)));
  return (scope, input, path, emit) => {
    function write(index: number, rest: string): void {
      const part = filters[index];
      if (part === undefined) emit(rest, computed(path));
      else if (typeof part === "string") write(index - 1, joined(part, rest));
      else part(scope, input, undefined, (value) => write(index - 1, joined(formatted(name, value), rest)));
    }
    write(filters.length - 1, "");
  };
}

/** `a // b`: the values of `a` that count as true, otherwise `b`. A failure of `a` is one of the whole, unlike in jq. */
function compileAlternative(left: Filter, right: Filter): Filter {
  return (scope, input, path, emit) => {
    let isFound = false;
    left(scope, input, path, (value, place) => {
      if (!isTruthy(value)) return;
      isFound = true;
      emit(value, place);
    });
    if (!isFound) right(scope, input, path, emit);
  };
}

function compileLogic(left: Filter, right: Filter, decisive: boolean): Filter {
  return (scope, input, path, emit) =>
    left(scope, input, undefined, (value) => {
      if (isTruthy(value) === decisive) emit(decisive, computed(path));
      else right(scope, input, undefined, (other) => emit(isTruthy(other), computed(path)));
    });
}

/** The right side varies slower than the left. */
function compileBinary(operator: string, left: Filter, right: Filter): Filter {
  const operation = operations[operator] ?? unknownOperator(operator);
  return (scope, input, path, emit) =>
    right(scope, input, undefined, (second) =>
      left(scope, input, undefined, (first) => emit(operation(first, second, scope.run), computed(path))),
    );
}

function unknownOperator(operator: string): never {
  throw new JqSyntaxError(`unexpected token "${operator}"`);
}

function compileIf(test: Filter, then: Filter, otherwise: Filter | undefined): Filter {
  return (scope, input, path, emit) =>
    test(scope, input, undefined, (value) => {
      if (isTruthy(value)) then(scope, input, path, emit);
      else if (otherwise === undefined) emit(input, path);
      else otherwise(scope, input, path, emit);
    });
}

function compileTry(body: Filter, handler: Filter | undefined): Filter {
  return (scope, input, path, emit) =>
    attempting(
      (handOn) => body(scope, input, path, (value, place) => handOn(() => emit(value, place))),
      (error) => handler?.(scope, error.value, computed(path), emit),
    );
}

/** Later keys vary slowest. For one key, its values vary before the next key. */
function compileObject(entries: readonly (readonly [Filter, Filter])[]): Filter {
  return (scope, input, path, emit) => {
    function build(index: number, made: readonly (readonly [string, JqValue])[]): void {
      const entry = entries[index];
      if (entry === undefined) {
        emit(recordOf(made), computed(path));
        return;
      }
      const [key, value] = entry;
      key(scope, input, undefined, (name) => {
        if (typeof name !== "string")
          throw failure(`expected a string for object key but got: ${described(name)}`);
        value(scope, input, undefined, (content) => build(index + 1, [...made, [name, content]]));
      });
    }
    build(0, []);
  };
}

function compileArray(body: Filter | undefined): Filter {
  return (scope, input, path, emit) => {
    const elements: JqValue[] = [];
    body?.(scope, input, undefined, (value) => {
      scope.run.step();
      elements.push(value);
    });
    emit(elements, computed(path));
  };
}

function compileVariable(name: string, names: JqNames | undefined): Filter {
  const found = findName(names, (entry): entry is NameEntry => entry.kind === "value" && entry.name === name);
  if (found !== undefined)
    // A variable always holds a value.
    return (scope, _, path, emit) => emit(heldAt(scope, found.distance) as JqValue, computed(path));
  // Queries cannot read the environment.
  if (name === "$ENV") return constant({});
  throw new JqSyntaxError(`variable not defined: ${name}`);
}

/** Returns the names with a function added. The function may call itself. */
function defining(definition: Definition, names: JqNames | undefined): JqNames {
  const compiled: { body?: Filter } = {};
  const own: JqNames = {
    outer: names,
    entry: { kind: "function", definition, compiled },
    held: names?.held ?? 0,
  };
  const { parameters, body } = definition;
  let inner: JqNames = own;
  for (const parameter of parameters) inner = naming(inner, "parameter", parameter.replace(/^\$/, ""));
  for (const parameter of parameters)
    if (parameter.startsWith("$")) inner = naming(inner, "value", parameter);
  compiled.body = compileQuery(body, inner);
  return own;
}

function compileCall(name: string, args: readonly JqQuery[], names: JqNames | undefined): Filter {
  const isMeant = (entry: NameEntry | FunctionEntry): entry is NameEntry | FunctionEntry =>
    entry.kind === "function"
      ? entry.definition.name === name && entry.definition.parameters.length === args.length
      : entry.kind === "parameter" && entry.name === name && args.length === 0;
  const found = findName(names, isMeant);
  const filters = args.map((arg) => compileQuery(arg, names));
  if (found?.entry.kind === "function") return callOf(found.entry, found.distance, filters);
  if (found !== undefined)
    return (scope, input, path, emit) => {
      scope.run.step();
      // A parameter always holds a query.
      (heldAt(scope, found.distance) as Closure)(input, path, emit);
    };
  const builtin = findBuiltin(name, args.length);
  if (builtin === undefined)
    throw new JqSyntaxError(
      /^inputs?$/.test(name) && args.length === 0
        ? "input(s)/0 is not allowed"
        : `function not defined: ${name}/${args.length}`,
    );
  return builtinCall(builtin, filters);
}

function callOf(
  { definition: { parameters }, compiled }: FunctionEntry,
  distance: number,
  args: readonly Filter[],
): Filter {
  const values = parameters.flatMap((parameter, index) => (parameter.startsWith("$") ? [index] : []));
  return (scope, input, path, emit) => {
    scope.run.step();
    const closures = args.map((arg) => closed(arg, scope));
    let inner = scopeAt(scope, distance);
    for (const closure of closures) inner = within(inner, closure);
    bindValues(0, inner, input, closures, values, (bound) => compiled.body?.(bound, input, path, emit));
  };
}

/** Binds parameters that are values to each value in turn. The first parameter varies slowest. */
function bindValues(
  at: number,
  scope: JqScope,
  input: JqValue,
  closures: readonly Closure[],
  values: readonly number[],
  then: (bound: JqScope) => void,
): void {
  const closure = closures[values[at] ?? -1];
  if (closure === undefined) then(scope);
  else
    closure(input, undefined, (value) =>
      bindValues(at + 1, within(scope, value), input, closures, values, then),
    );
}

function builtinCall(builtin: BuiltinCall, args: readonly Filter[]): Filter {
  return (scope, input, path, emit: Emit) => {
    scope.run.step();
    builtin({ run: scope.run, input, path, emit, args: args.map((arg) => closed(arg, scope)) });
  };
}
