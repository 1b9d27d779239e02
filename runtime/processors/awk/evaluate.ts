// Compiles expressions to functions.

import type { RE2JS } from "re2js";
import { arithmetic, compared, languageFunctions } from "./builtins.ts";
import { matches, patternOf } from "./patterns.ts";
import { isSpecial } from "./resolve.ts";
import {
  type Evaluate,
  type FindArray,
  findArray,
  type ProgramScope,
  placeOf,
  type StoreValue,
} from "./scope.ts";
import type { ProgramState, SpecialName } from "./state.ts";
import type { AwkExpression, AwkTarget } from "./syntax.ts";
import {
  AwkArray,
  type AwkValue,
  counted,
  failure,
  InputText,
  isTrue,
  toInteger,
  toNumber,
  toText,
} from "./values.ts";

/** How deep functions may call each other, as in the reference engine. */
const deepest = 1000;

/** Returns a function that makes the key of an element. */
export function compileIndex(
  scope: ProgramScope,
  index: readonly AwkExpression[],
): (state: ProgramState) => string {
  const parts = index.map((part) => compileExpression(scope, part));
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return (state) => toText(only(state), state.CONVFMT);
  return (state) => {
    const texts = parts.map((part) => part(state)).map((value) => toText(value, state.CONVFMT));
    return counted(texts.join(state.SUBSEP));
  };
}

/** Returns a function that assigns to a target. */
export function compileStore(scope: ProgramScope, target: AwkTarget): StoreValue {
  if (target.kind === "Field") {
    const index = compileExpression(scope, target.index);
    return (state, value) => {
      const at = toInteger(toNumber(index(state)));
      state.record.setField(at, toText(value, state.CONVFMT));
    };
  }
  if (target.kind === "Element") {
    const array = findArray(scope, target.array);
    const key = compileIndex(scope, target.index);
    return (state, value) => state.store(array(state), key(state), value);
  }
  const { name } = target;
  const { isLocal, index } = placeOf(scope, name, false);
  if (isLocal)
    return (state, value) => {
      state.locals[index] = value;
    };
  if (isSpecial(name)) return (state, value) => state.setSpecial(name as SpecialName, value);
  return (state, value) => {
    state.globals[index] = value;
  };
}

/** Returns a function that replaces the value of a target, and evaluates its index once. */
export function compileChange(
  scope: ProgramScope,
  target: AwkTarget,
): (state: ProgramState, change: (value: AwkValue) => AwkValue) => void {
  if (target.kind === "Element") {
    const array = findArray(scope, target.array);
    const key = compileIndex(scope, target.index);
    return (state, change) => {
      const at = key(state);
      const found = array(state);
      state.store(found, at, change(found.elements.get(at)));
    };
  }
  if (target.kind === "Field") {
    const index = compileExpression(scope, target.index);
    return (state, change) => {
      const at = toInteger(toNumber(index(state)));
      state.record.setField(at, toText(change(state.record.field(at)), state.CONVFMT));
    };
  }
  const read = compileExpression(scope, target);
  const store = compileStore(scope, target);
  return (state, change) => store(state, change(read(state)));
}

/** Returns a function that evaluates an expression. */
export function compileExpression(scope: ProgramScope, expression: AwkExpression): Evaluate {
  const compile = (inner: AwkExpression): Evaluate => compileExpression(scope, inner);
  switch (expression.kind) {
    case "Number":
    case "Text": {
      const { value } = expression;
      return () => value;
    }
    case "Regexp": {
      const pattern = patternOf(expression.source);
      return (state) => (matches(pattern, state.record.text) ? 1 : 0);
    }
    case "Group":
      return compile(expression.inner);
    case "Variable":
    case "Element":
    case "Field":
      return compileTarget(scope, expression);
    case "NamedField": {
      const name = compile(expression.name);
      return (state) => state.record.fieldNamed(toText(name(state), state.CONVFMT));
    }
    case "Assign": {
      const value = compile(expression.value);
      const store = compileStore(scope, expression.target);
      return (state) => {
        const assigned = value(state);
        store(state, assigned);
        return assigned;
      };
    }
    case "Update": {
      // The index is evaluated twice, as in the reference engine.
      const value = compile(expression.value);
      const read = compile(expression.target);
      const store = compileStore(scope, expression.target);
      const change = arithmetic[expression.sign];
      return (state) => {
        const right = value(state);
        const changed = change(toNumber(read(state)), toNumber(right));
        store(state, changed);
        return changed;
      };
    }
    case "Increment": {
      const { by, isBefore } = expression;
      const read = compile(expression.target);
      const store = compileStore(scope, expression.target);
      return (state) => {
        const before = toNumber(read(state));
        store(state, before + by);
        return isBefore ? before + by : before;
      };
    }
    case "Arithmetic": {
      const [left, right] = [compile(expression.left), compile(expression.right)];
      const operate = arithmetic[expression.sign];
      return (state) => {
        const first = left(state);
        const second = right(state);
        return operate(toNumber(first), toNumber(second));
      };
    }
    case "Comparison": {
      const { sign } = expression;
      const [left, right] = [compile(expression.left), compile(expression.right)];
      return (state) => {
        const first = left(state);
        return compared(sign, first, right(state), state.CONVFMT) ? 1 : 0;
      };
    }
    case "Match": {
      const left = compile(expression.left);
      const pattern = compilePattern(scope, expression.right);
      const { isNegated } = expression;
      return (state) => {
        const text = left(state);
        const compiled = pattern(state);
        return matches(compiled, toText(text, state.CONVFMT)) === isNegated ? 0 : 1;
      };
    }
    case "Logic": {
      const [left, right] = [compile(expression.left), compile(expression.right)];
      if (expression.sign === "&&") return (state) => (isTrue(left(state)) && isTrue(right(state)) ? 1 : 0);
      return (state) => (isTrue(left(state)) || isTrue(right(state)) ? 1 : 0);
    }
    case "Concatenation": {
      const items = expression.items.map(compile);
      return (state) => {
        const values = items.map((item) => item(state));
        let text = "";
        for (const value of values) text += toText(value, state.CONVFMT);
        return counted(text);
      };
    }
    case "Unary": {
      const operand = compile(expression.operand);
      if (expression.sign === "!") return (state) => (isTrue(operand(state)) ? 0 : 1);
      if (expression.sign === "+") return (state) => toNumber(operand(state));
      return (state) => -toNumber(operand(state));
    }
    case "Condition": {
      const [test, yes, no] = [compile(expression.test), compile(expression.yes), compile(expression.no)];
      return (state) => (isTrue(test(state)) ? yes(state) : no(state));
    }
    case "In": {
      const key = compileIndex(scope, expression.index);
      const array = findArray(scope, expression.array);
      return (state) => (array(state).elements.has(key(state)) ? 1 : 0);
    }
    case "Getline":
      return compileGetline(scope, expression.target);
    case "Builtin":
      return compileBuiltin(scope, expression);
    case "Call":
      return compileCall(scope, expression);
    case "Several":
      throw new Error("a list of expressions has no value");
  }
}

function compileTarget(scope: ProgramScope, target: AwkTarget): Evaluate {
  if (target.kind === "Field") {
    const index = compileExpression(scope, target.index);
    return (state) => state.record.field(toInteger(toNumber(index(state))));
  }
  if (target.kind === "Element") {
    const array = findArray(scope, target.array);
    const key = compileIndex(scope, target.index);
    return (state) => {
      const found = array(state);
      const at = key(state);
      const value = found.elements.get(at);
      // Reading an element creates it.
      if (value === undefined && !found.elements.has(at)) state.store(found, at, undefined);
      return value;
    };
  }
  const { name } = target;
  const { isLocal, index } = placeOf(scope, name, false);
  if (isLocal) return (state) => state.locals[index];
  if (isSpecial(name)) return (state) => state.special(name as SpecialName);
  return (state) => state.globals[index];
}

/** Returns a function that returns a regular expression. A constant one is compiled once. */
export function compilePattern(
  scope: ProgramScope,
  expression: AwkExpression,
): (state: ProgramState) => RE2JS {
  if (expression.kind === "Text") {
    const { value } = expression;
    let compiled: RE2JS | undefined;
    return () => {
      compiled ??= patternOf(value);
      return compiled;
    };
  }
  const source = compileExpression(scope, expression);
  return (state) => state.pattern(source(state));
}

/** Returns 1, and 0 at the end of the input. */
function compileGetline(scope: ProgramScope, target: AwkTarget | undefined): Evaluate {
  if (target === undefined || target.kind === "Field") {
    const isField = target !== undefined;
    return (state) => {
      const record = state.nextRecord();
      if (record === undefined) return 0;
      // As in the reference engine, any field is the whole record.
      if (isField) state.record.set(record.text);
      else state.record.read(record);
      return 1;
    };
  }
  if (target.kind === "Element") {
    const array = findArray(scope, target.array);
    const key = compileIndex(scope, target.index);
    return (state) => {
      const at = key(state);
      const record = state.nextRecord();
      if (record === undefined) return 0;
      state.store(array(state), at, new InputText(record.text));
      return 1;
    };
  }
  const store = compileStore(scope, target);
  return (state) => {
    const record = state.nextRecord();
    if (record === undefined) return 0;
    store(state, new InputText(record.text));
    return 1;
  };
}

function compileBuiltin(
  scope: ProgramScope,
  { name, args }: Extract<AwkExpression, { kind: "Builtin" }>,
): Evaluate {
  const [first, second, third] = args;
  if (name === "split" && first !== undefined && second?.kind === "Variable") {
    const text = compileExpression(scope, first);
    const array = findArray(scope, second);
    const separator = third && compileExpression(scope, third);
    return (state) =>
      languageFunctions.split(
        state,
        array(state),
        text(state),
        separator && toText(separator(state), state.CONVFMT),
      );
  }
  if ((name === "sub" || name === "gsub") && first !== undefined && second !== undefined) {
    const target = (third ?? { kind: "Field", index: { kind: "Number", value: 0 } }) as AwkTarget;
    const pattern = compilePattern(scope, first);
    const replacement = compileExpression(scope, second);
    const read = compileExpression(scope, target);
    const store = compileStore(scope, target);
    return (state) => {
      const compiled = pattern(state);
      const by = toText(replacement(state), state.CONVFMT);
      const { text, count } = languageFunctions.replace(
        compiled,
        by,
        toText(read(state), state.CONVFMT),
        name === "gsub",
      );
      store(state, text);
      return count;
    };
  }
  if (name === "match" && first !== undefined && second !== undefined) {
    const text = compileExpression(scope, first);
    const pattern = compilePattern(scope, second);
    return (state) => {
      const given = toText(text(state), state.CONVFMT);
      return languageFunctions.match(state, given, pattern(state));
    };
  }
  if (name === "length" && first?.kind === "Variable" && scope.program.isArray(scope.within, first.name)) {
    const array = findArray(scope, first);
    return (state) => array(state).elements.size;
  }
  const call = languageFunctions.named.get(name);
  if (call === undefined) throw new Error(`the function ${name} does not exist`);
  const values = args.map((argument) => compileExpression(scope, argument));
  return (state) =>
    call(
      state,
      values.map((value) => value(state)),
    );
}

function newArray(): AwkArray {
  return new AwkArray();
}

function compileCall(
  scope: ProgramScope,
  { name, args }: Extract<AwkExpression, { kind: "Call" }>,
): Evaluate {
  const own = scope.functions.get(name);
  if (own === undefined) {
    const call = scope.library(name);
    if (call === undefined) throw new Error(`the function ${name} does not exist`);
    const values = args.map((argument) => compileExpression(scope, argument));
    return (state) => {
      state.run.step();
      return call(
        state,
        values.map((value) => value(state)),
      );
    };
  }
  const scalars: Evaluate[] = [];
  const arrays: FindArray[] = [];
  for (const [index, isArray] of own.arrays.entries()) {
    const argument = args[index];
    if (isArray) arrays.push(argument?.kind === "Variable" ? findArray(scope, argument) : newArray);
    else scalars.push(argument === undefined ? () => undefined : compileExpression(scope, argument));
  }
  return (state) => {
    state.run.step();
    const { locals, localArrays } = state;
    const given = scalars.map((scalar) => scalar(state));
    const givenArrays = arrays.map((array) => array(state));
    if (state.depth >= deepest) throw failure(`calling "${name}" exceeded maximum call depth of ${deepest}`);
    state.depth++;
    state.locals = given;
    state.localArrays = givenArrays;
    const result = own.run(state);
    state.depth--;
    state.locals = locals;
    state.localArrays = localArrays;
    return result;
  };
}
