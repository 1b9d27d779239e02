// Compiles statements to functions.

import { spend } from "../jq/run.ts";
import { arithmetic } from "./builtins.ts";
import { compileChange, compileExpression, compileIndex, compileStore } from "./evaluate.ts";
import { findArray, type ProgramScope } from "./scope.ts";
import type { ProgramState } from "./state.ts";
import type { AwkStatement } from "./syntax.ts";
import { isTrue, sprintf, toInteger, toNumber, toText } from "./values.ts";

/** How a statement ended. */
export const done = 0;
const broken = 1;
const continued = 2;
export const nextRecord = 3;
export const nextInput = 4;
export const exited = 5;
export const returned = 6;

/** A compiled statement. Returns how it ended. */
export type Step = (state: ProgramState) => number;

/** Compiles a list of statements. */
export function compileStatements(scope: ProgramScope, statements: readonly AwkStatement[]): Step {
  const steps = statements.map((statement) => compileStatement(scope, statement));
  const [first = () => done, second] = steps;
  if (second === undefined) return first;
  return (state) => {
    for (const step of steps) {
      const end = step(state);
      if (end !== done) return end;
    }
    return done;
  };
}

function compileStatement(scope: ProgramScope, statement: AwkStatement): Step {
  switch (statement.kind) {
    case "Expression":
      return compileExpressionStatement(scope, statement);
    case "Print":
      return compilePrint(scope, statement);
    case "Printf": {
      const items = statement.items.map((item) => compileExpression(scope, item));
      return (state) => {
        const [format, ...values] = items.map((item) => item(state));
        state.write(sprintf(toText(format, state.CONVFMT), values, state.CONVFMT));
        return done;
      };
    }
    case "If": {
      const test = compileExpression(scope, statement.test);
      const body = compileStatements(scope, statement.body);
      const otherwise = compileStatements(scope, statement.otherwise);
      return (state) => (isTrue(test(state)) ? body(state) : otherwise(state));
    }
    case "Loop":
      return compileLoop(scope, statement);
    case "ForIn":
      return compileForIn(scope, statement);
    case "Break":
      return () => broken;
    case "Continue":
      return () => continued;
    case "Next":
      return () => nextRecord;
    case "NextFile":
      return () => nextInput;
    case "Exit": {
      const status = statement.value && compileExpression(scope, statement.value);
      return (state) => {
        if (status !== undefined) state.exitStatus = toInteger(toNumber(status(state)));
        return exited;
      };
    }
    case "Return": {
      const value = statement.value && compileExpression(scope, statement.value);
      return (state) => {
        state.returned = value?.(state);
        return returned;
      };
    }
    case "Delete": {
      const array = findArray(scope, statement.array);
      if (statement.index.length === 0)
        return (state) => {
          array(state).elements.clear();
          return done;
        };
      const key = compileIndex(scope, statement.index);
      return (state) => {
        array(state).elements.delete(key(state));
        return done;
      };
    }
    case "Block":
      return compileStatements(scope, statement.body);
  }
}

/** Unlike expressions, statements evaluate the index of what they change once. */
function compileExpressionStatement(
  scope: ProgramScope,
  { expression }: Extract<AwkStatement, { kind: "Expression" }>,
): Step {
  if (expression.kind === "Increment") {
    const change = compileChange(scope, expression.target);
    const { by } = expression;
    return (state) => {
      change(state, (value) => toNumber(value) + by);
      return done;
    };
  }
  if (expression.kind === "Update") {
    const change = compileChange(scope, expression.target);
    const operand = compileExpression(scope, expression.value);
    const operate = arithmetic[expression.sign];
    return (state) => {
      const right = toNumber(operand(state));
      change(state, (value) => operate(toNumber(value), right));
      return done;
    };
  }
  if (expression.kind === "Assign") {
    const value = compileExpression(scope, expression.value);
    const store = compileStore(scope, expression.target);
    return (state) => {
      store(state, value(state));
      return done;
    };
  }
  const evaluate = compileExpression(scope, expression);
  return (state) => {
    evaluate(state);
    return done;
  };
}

function compilePrint(scope: ProgramScope, { items }: Extract<AwkStatement, { kind: "Print" }>): Step {
  if (items.length === 0)
    return (state) => {
      state.write(state.record.text + state.ORS);
      return done;
    };
  const values = items.map((item) => compileExpression(scope, item));
  return (state) => {
    const texts = values.map((value) => value(state)).map((value) => toText(value, state.OFMT));
    state.write(state.record.joined(texts) + (state.outputMode === undefined ? state.ORS : "\n"));
    return done;
  };
}

function compileLoop(
  scope: ProgramScope,
  { first, test, next, body, isDo }: Extract<AwkStatement, { kind: "Loop" }>,
): Step {
  const start = first && compileStatement(scope, first);
  const condition = test && compileExpression(scope, test);
  const advance = next && compileStatement(scope, next);
  const round = compileStatements(scope, body);
  const isOn = (state: ProgramState): boolean => condition === undefined || isTrue(condition(state));
  return (state) => {
    start?.(state);
    if (!isDo && !isOn(state)) return done;
    do {
      state.run.step();
      const end = round(state);
      if (end === broken) return done;
      if (end > continued) return end;
      advance?.(state);
    } while (isOn(state));
    return done;
  };
}

function compileForIn(
  scope: ProgramScope,
  { variable, array, body }: Extract<AwkStatement, { kind: "ForIn" }>,
): Step {
  const find = findArray(scope, array);
  const store = compileStore(scope, variable);
  const round = compileStatements(scope, body);
  return (state) => {
    const { elements } = find(state);
    spend(elements.size);
    // Elements that the loop adds are not visited, and neither are those that it deletes.
    for (const key of [...elements.keys()]) {
      if (!elements.has(key)) continue;
      state.run.step();
      store(state, key);
      const end = round(state);
      if (end === broken) return done;
      if (end > continued) return end;
    }
    return done;
  };
}
