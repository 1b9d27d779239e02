// Finds reads of variables that are certainly unset. A variable that may have been assigned before, in any branch,
// counts as set.

import type { Report } from "../../diagnostics/sink.ts";
import { nearest } from "../../diagnostics/suggest.ts";
import type {
  Assign,
  Expression,
  FunctionCall,
  MappingNode,
  Statement,
  Variable,
} from "../../trees/mapping.ts";
import { walk } from "../../trees/walk.ts";

/** The known facts about variables before the first statement. */
export interface GivenVariables {
  /** Variables that are set from outside. */
  readonly variables?: ReadonlySet<string>;
  /** Whether a read that always fails is an error, unless it has a fallback. */
  readonly refusesUnset?: boolean | undefined;
}

/** Reports reads of variables that no earlier statement assigns. */
export function checkVariables(
  statements: readonly Statement[],
  { variables, refusesUnset = false }: GivenVariables,
  report: Report,
): void {
  const plain = new Map<string, Assign>();
  for (const statement of statements)
    walk(statement, {
      Assign(node) {
        const [name, ...below] = node.target;
        if (name !== undefined && below.length === 0 && !node.rooted) plain.set(name.text, node);
      },
    });
  const reporting = { plain, reported: new Set<string>(), isRefused: refusesUnset, report };
  visitStatements(statements, new Set(variables), reporting);
}

/** How unset variables are reported. */
interface Reporting {
  /** Fields of the result that were assigned without `root`, probably because `let` was left out. */
  readonly plain: ReadonlyMap<string, Assign>;
  /** Names that are already reported. */
  readonly reported: Set<string>;
  readonly isRefused: boolean;
  readonly report: Report;
}

function visitStatements(
  statements: readonly Statement[],
  assigned: Set<string>,
  reporting: Reporting,
): void {
  for (const statement of statements) {
    switch (statement.kind) {
      case "Let":
        visitReads(statement.value, assigned, reporting);
        assigned.add(statement.name.text);
        break;
      case "Assign":
      case "MetaAssign":
        visitReads(statement.value, assigned, reporting);
        break;
      case "IfStatement":
        for (const branch of statement.branches) {
          visitReads(branch.condition, assigned, reporting);
          visitStatements(branch.statements, assigned, reporting);
        }
        visitStatements(statement.otherwise ?? [], assigned, reporting);
    }
  }
}

/** Reports unset variables of a query without statements before it. */
export function checkReads(query: Expression, given: GivenVariables, report: Report): void {
  const { variables = new Set(), refusesUnset = false } = given;
  visitReads(query, variables, { plain: new Map(), reported: new Set(), isRefused: refusesUnset, report });
}

function visitReads(
  query: Expression,
  assigned: ReadonlySet<string>,
  { plain, reported, isRefused, report }: Reporting,
): void {
  const guarded = guardedIn(query);
  const check = (node: Variable | FunctionCall, name: string) => {
    if (assigned.has(name)) return;
    const near = nearest(name, assigned);
    const field = near.closest === undefined ? plain.get(name) : undefined;
    const code = isRefused && !guarded.has(node) ? "GW3019" : "GW3001";
    if (field === undefined) report(code, node.span, { name, ...near });
    else if (!reported.has(name)) {
      // One `let` is missing, however often the variable is read.
      reported.add(name);
      const related = { span: node.span, message: "The variable is read here." };
      report(code, field.target[0]?.span ?? field.span, { name, ...near, isField: true }, related);
    }
  };
  walk(query, {
    Variable: (node) => check(node, node.name),
    FunctionCall(node) {
      const [name] = node.args;
      if (node.name.text === "var" && name?.value.kind === "StringLiteral") check(node, name.value.value);
    },
  });
}

/** Returns everything in a query that has a fallback for its failure: `a | b`, `.or()`, `.catch()`. */
function guardedIn(query: Expression): ReadonlySet<MappingNode> {
  const guarded = new Set<MappingNode>();
  const addAll = (node: Expression) => {
    walk(node, { Variable: (each) => guarded.add(each), FunctionCall: (each) => guarded.add(each) });
  };
  walk(query, {
    Binary(node) {
      if (node.operator === "|") addAll(node.left);
    },
    MethodCall(node) {
      if (["catch", "or"].includes(node.name.text)) addAll(node.receiver);
    },
  });
  return guarded;
}
