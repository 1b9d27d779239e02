// Constant folding must not change results. A query returns the same value with its literals in place, where the
// compiler folds them and their types decide the emitted code, as with the literals in variables of unknown type.

import { inspect } from "node:util";
import { coreBuiltins } from "../../compiler/builtins/catalogue.ts";
import { createSink } from "../../compiler/diagnostics/sink.ts";
import { CompileError } from "../../compiler/embed/errors.ts";
import { compileQuery, type RunQuery } from "../../compiler/embed/mapping.ts";
import { parseQuery } from "../../compiler/parse/mapping/parser.ts";
import { createSourceFile } from "../../compiler/source/source.ts";
import type { Argument, Expression, MappingNode } from "../../compiler/trees/mapping.ts";
import { childrenOf, walk } from "../../compiler/trees/walk.ts";
import { languageFailure } from "../../runtime/mapping/failures.ts";
import { MappingRun } from "../../runtime/mapping/run.ts";
import type { MappingVariables } from "../../runtime/mapping/variables.ts";
import { Message } from "../../runtime/message/message.ts";
import type { Value } from "../../runtime/message/value.ts";
import type { Attempt } from "./attempts.ts";
import { messages } from "./messages.ts";

/** Throws an error that shows both results if they differ. */
export function attemptKnownValues(text: string): Attempt {
  const tree = parseQuery(createSourceFile("fuzz", text), createSink().report);
  const literals = tree === undefined ? undefined : findLiterals(tree);
  const known = literals && compileOrRefuse(text, new Set());
  // The compiler refuses what fails on literals alone; with variables it fails at run time, if it is evaluated at all.
  if (literals === undefined || known === undefined) return "refused";
  const hidden = hideLiterals(text, literals);
  const unknown = compileQuery(hidden.text, { variables: new Set(Object.keys(hidden.values)) });
  for (const { content } of messages) {
    const [first, second] = [evaluate(known, content), evaluate(unknown, content, hidden.values)];
    if (first !== second) throw new Error(`gives ${first}\nand as ${hidden.text}\ngives ${second}`);
  }
  return "ran";
}

type Literal = Extract<Expression, { readonly value: unknown; readonly kind: `${string}Literal` }>;

/** Returns the literals that a variable can replace; `undefined` if two runs of the query may differ anyway. */
function findLiterals(tree: Expression): readonly Literal[] | undefined {
  const found: Literal[] = [];
  const fixed = new Set<MappingNode>();
  let isPure = true;
  const call = (
    builtin: ReturnType<typeof coreBuiltins.findMethod>,
    name: string,
    args: readonly Argument[],
  ) => {
    // Errors that `catch` passes to a query name the source of their values.
    if (builtin?.pure !== true || name === "catch") isPure = false;
    for (const [index, argument] of args.entries()) {
      if (builtin?.module === "" || builtin?.parameters[index]?.literal === true) fixed.add(argument.value);
    }
  };
  const note = (node: Literal) => {
    if (!fixed.has(node)) found.push(node);
  };
  walk(tree, {
    FunctionCall: ({ name, args }) => call(coreBuiltins.findFunction(name.text), name.text, args),
    MethodCall: ({ name, args }) => call(coreBuiltins.findMethod(name.text), name.text, args),
    ObjectEntry: ({ key }) => fixed.add(key),
    // A pattern that folds to a literal is compared with the subject; any other pattern is a condition.
    MatchCase: ({ pattern }) => pattern !== undefined && addAll(pattern, fixed),
    IntegerLiteral: note,
    FloatLiteral: note,
    StringLiteral: note,
    BooleanLiteral: note,
  });
  return isPure ? found : undefined;
}

function addAll(node: MappingNode, nodes: Set<MappingNode>): void {
  nodes.add(node);
  for (const child of childrenOf(node)) addAll(child, nodes);
}

/** Returns the text with `$l0`, `$l1` … in place of literals, and the values of these variables. */
function hideLiterals(
  text: string,
  literals: readonly Literal[],
): { readonly text: string; readonly values: MappingVariables } {
  const values: Record<string, Value> = {};
  let hidden = text;
  // Replaces from the end, so that the positions before stay valid.
  for (const { span } of literals.toSorted((a, b) => b.span.start - a.span.start)) {
    const name = `l${Object.keys(values).length}`;
    values[name] = compileQuery(text.slice(span.start, span.end))(new MappingRun([], 0));
    hidden = `${hidden.slice(0, span.start)}$${name}${hidden.slice(span.end)}`;
  }
  return { text: hidden, values };
}

function compileOrRefuse(text: string, variables: ReadonlySet<string>): RunQuery | undefined {
  try {
    return compileQuery(text, { variables });
  } catch (error) {
    if (error instanceof CompileError) return undefined;
    throw error;
  }
}

/**
 * Returns the value as text, including its kind of number. All failures are equal, because their messages name sources.
 */
function evaluate(query: RunQuery, content: string | Uint8Array, variables?: MappingVariables): string {
  const message = Message.fromBytes(Buffer.from(content));
  try {
    return inspect(query(new MappingRun([message], 0), variables), { depth: null, sorted: true });
  } catch (error) {
    if (languageFailure(error) === undefined) throw error;
    return "a failure";
  }
}
