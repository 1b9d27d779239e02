// Statements of a mapping as statements of its function.

import { readsWholeRoot, writesRoot } from "../../plan/mapping/contents.ts";
import type { AssignVariable, Choose, Planned, PlannedStatement } from "../../plan/mapping/ir.ts";
import { type Code, call, code, literal, raw } from "../code.ts";
import { type Branching, emitBranches, enterPart } from "./branches.ts";
import { findCertainRead } from "./certain.ts";
import { notBlock } from "./closures.ts";
import { caseTest, conditionTest } from "./control.ts";
import { emitValue } from "./dispatch.ts";
import { emitAssignField, emitAssignRoot } from "./root.ts";
import { runtime } from "./runtime.ts";
import {
  canFail,
  type EmitScope,
  keyPart,
  readDocument,
  useRun,
  withDocumentIfAny,
  withLocal,
} from "./scope.ts";
import { slotName } from "./variables.ts";

/** The statements of one block, each led by the line it is on where it can fail. */
export function emitStatements(statements: readonly PlannedStatement[], scope: EmitScope): readonly Code[] {
  const written: Code[] = [];
  let current = scope;
  for (const statement of statements) {
    if (statementFails(statement, current)) written.push(...enterLine(statement.line, current));
    const read = current.document === undefined ? findCertainRead(statement) : undefined;
    if (read !== undefined && scope.state.kind !== "mutation") {
      const name = scope.names.claim("document", "document");
      const { reference, key } = read;
      written.push(...enterPart(key === undefined ? "" : keyPart(key), scope.state));
      written.push(code`const ${raw(name)} = ${readDocument(current, reference)};`);
      current = { ...current, document: raw(name) };
    }
    written.push(...emitStatement(statement, current));
  }
  return written;
}

/** Notes the line in the variable that the failure will name. The first is its initial value. */
function enterLine(line: number, { state }: EmitScope): readonly Code[] {
  if (state.line === line) return [];
  const first = state.line === undefined;
  state.line = line;
  state.lines.add(line);
  return first ? [] : [code`line = ${line};`];
}

function statementFails(statement: PlannedStatement, scope: EmitScope): boolean {
  switch (statement.kind) {
    case "AssignRoot":
    case "AssignVariable":
      return canFail(statement.value, scope);
    case "AssignField":
      return (
        canFail(statement.value, scope) || !(scope.state.root === "unset" || isOpen(statement.path, scope))
      );
    case "AssignMetadata":
      return statement.key === undefined || scope.state.kind === "map" || canFail(statement.value, scope);
    case "Choose":
      return (
        statement.branches.some(
          ({ condition }) => condition.type !== "boolean" || canFail(condition, scope),
        ) ||
        [statement.otherwise, ...statement.branches.map((branch) => branch.statements)].some((statements) =>
          statements.some((each) => each.kind === "AssignField" || statementFails(each, scope)),
        )
      );
  }
}

function isOpen(path: readonly string[], scope: EmitScope): boolean {
  return scope.state.root === "object" && path.length === 1;
}

function emitStatement(statement: PlannedStatement, outer: EmitScope): readonly Code[] {
  const scope = { ...outer, prelude: [] };
  const written = emitBare(statement, scope);
  return [...scope.prelude, ...written];
}

function emitBare(statement: PlannedStatement, scope: EmitScope): readonly Code[] {
  const { state } = scope;
  // What holds the root from now on must not see it change.
  const isOpened = state.root === "object" && statement.kind !== "Choose";
  if (isOpened && readsWholeRoot(statement.value, state.kind === "mutation")) state.root = "value";
  const branched = emitBranched(statement, scope);
  if (branched !== undefined) return branched;
  if (statement.kind !== "Choose" && statementFails(statement, scope)) {
    scope.prelude.unshift(...enterPart("", state));
  }
  switch (statement.kind) {
    case "AssignRoot":
      return emitAssignRoot(statement, scope);
    case "AssignField":
      return emitAssignField(statement, scope);
    case "AssignVariable":
      return emitAssignVariable(statement, scope);
    case "AssignMetadata": {
      if (scope.state.kind === "map") return [code`${call(runtime("metadataRefused"), [])};`];
      const value = emitValue(statement.value, scope);
      if (statement.key === undefined)
        return [code`${call(code`${useRun(scope)}.setAllMetadata`, [value])};`];
      return [code`${call(code`${useRun(scope)}.setMetadata`, [literal(statement.key), value])};`];
    }
    case "Choose":
      return emitChoose(statement, scope);
  }
}

function emitAssignVariable({ slot, value }: AssignVariable, scope: EmitScope): readonly Code[] {
  const written = emitValue(value, scope);
  if (!scope.state.readSlots.has(slot)) return canFail(value, scope) ? [code`${notBlock(written)};`] : [];
  const name = raw(slotName(slot, scope));
  if (slot.constant) return [code`const ${name} = ${written};`];
  const assigned = value.absence ? call(runtime("assignVariable"), [name, written]) : written;
  return [code`${name} = ${assigned};`];
}

function emitChoose(statement: Choose, scope: EmitScope): readonly Code[] {
  const branches = statement.branches.map((branch) => ({
    test: conditionTest(branch, scope, true),
    statements: () => emitStatements(branch.statements, { ...scope, names: scope.names.inner() }),
  }));
  const otherwise =
    statement.otherwise.length === 0
      ? undefined
      : () => emitStatements(statement.otherwise, { ...scope, names: scope.names.inner() });
  return emitBranches({ branches, otherwise }, writesRoot([statement]), scope);
}

/**
 * `root.a = if c { x }`: where no branch is taken nothing is assigned, which an `if` statement says better
 * than a conditional expression. So it does where a condition can fail, which a statement before it notes.
 */
function emitBranched(statement: PlannedStatement, scope: EmitScope): readonly Code[] | undefined {
  if (statement.kind === "Choose") return undefined;
  const { value } = statement;
  const assign = (arm: Planned, inner: EmitScope) => () =>
    emitStatement({ ...statement, value: arm }, { ...inner, names: scope.names.inner() });
  const roots = writesRoot([statement]);
  if (value.kind === "Choice") {
    const branches = value.branches.map((branch) => ({
      test: conditionTest(branch, scope),
      statements: assign(branch.value, scope),
    }));
    if (!isBranched(statement, branches)) return undefined;
    const { otherwise } = value;
    return emitBranches({ branches, otherwise: otherwise && assign(otherwise, scope) }, roots, scope);
  }
  if (value.kind !== "Match" || !value.absence) return undefined;
  const inner =
    value.subject === undefined ? withDocumentIfAny(value, scope) : bindSubject(value.subject, scope);
  const end = value.cases.findIndex(({ test }) => test.kind === "always");
  const tested = end === -1 ? value.cases : value.cases.slice(0, end);
  const branches = tested.map((arm, index) => ({
    test: caseTest(arm, index, inner),
    statements: assign(arm.value, inner),
  }));
  const last = value.cases[end];
  return emitBranches({ branches, otherwise: last && assign(last.value, inner) }, roots, inner);
}

/** A constant needs its value where it is declared. */
function isBranched(statement: Exclude<PlannedStatement, Choose>, branches: Branching["branches"]): boolean {
  if (statement.value.absence) return true;
  if (statement.kind === "AssignVariable" && statement.slot.constant) return false;
  return branches.some(({ test }) => test.part !== undefined && test.part !== "");
}

/** The subject of a `match` statement; the first thing evaluated, so it may fail where it stands. */
function bindSubject(
  { local, value }: { readonly local: Parameters<typeof withLocal>[1]; readonly value: Planned },
  scope: EmitScope,
): EmitScope {
  scope.prelude.push(...enterPart("", scope.state));
  const written = emitValue(value, scope);
  const name = raw(scope.names.claim(local.hint, "subject"));
  scope.prelude.push(code`const ${name} = ${written};`);
  return withLocal(scope, local, name);
}
