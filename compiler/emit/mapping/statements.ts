// Emits the statements of a mapping as statements of its function. For `if`, it emits the tests in their order and
// tracks the state of the root after the branches and the part that fails.

import { readsWholeRoot, writesRoot } from "../../plan/mapping/contents.ts";
import type { AssignVariable, Choose, Planned, PlannedStatement } from "../../plan/mapping/ir.ts";
import {
  block,
  type Code,
  call,
  code,
  fragment,
  group,
  indent,
  join,
  literal,
  raw,
  tightBreak,
} from "../code.ts";
import { findCertainRead } from "./certain.ts";
import { notBlock } from "./closures.ts";
import { caseTest, conditionTest, type EmittedTest } from "./control.ts";
import { emitValue } from "./dispatch.ts";
import { declareRoot, emitAssignField, emitAssignRoot } from "./root.ts";
import { runtime } from "./runtime.ts";
import {
  canFail,
  type EmitScope,
  type FunctionState,
  keyPart,
  type RootState,
  readDocument,
  useRun,
  withDocumentIfAny,
  withLocal,
} from "./scope.ts";
import { slotName } from "./variables.ts";

/** The parts of an `if` to emit. Statements are emitted in their order, each once. */
interface Branching {
  readonly branches: readonly {
    readonly test: EmittedTest;
    readonly statements: () => readonly Code[];
  }[];
  readonly otherwise: (() => readonly Code[]) | undefined;
}

/** With more branches than this, notes between them would be nested too deeply to read. */
const mostNested = 4;

/** Emits the `if` with all its branches. `roots`: whether any branch assigns the root. */
function emitBranches(branching: Branching, roots: boolean, scope: EmitScope): readonly Code[] {
  const { state } = scope;
  const before: Code[] = [];
  if (roots && state.root === "unset") {
    // Constants that the tests need are emitted before the `if` and may read the root.
    scope.prelude.unshift(declareRoot(runtime("nothing"), scope));
    state.root = "value";
  }
  const isLong = branching.branches.length > mostNested;
  if (isLong) before.push(...enterPart("", state));
  const start = state.root;
  const outcomes: Outcome[] = [];
  const written = emitFrom(isLong ? withoutParts(branching) : branching, 0, { state, start, outcomes });
  state.root = rootAfter(outcomes, start);
  const [{ part } = state, ...others] = outcomes;
  state.part = others.every((outcome) => outcome.part === part) ? part : undefined;
  return [...before, ...written];
}

/** Returns the same branches with tests that name their part themselves. */
function withoutParts({ branches, otherwise }: Branching): Branching {
  const alone = branches.map(({ test, statements }) => ({
    test: { part: undefined, noted: test.alone, alone: test.alone },
    statements,
  }));
  return { branches: alone, otherwise };
}

/** The state at the end of a branch. */
interface Outcome {
  readonly root: RootState;
  readonly part: string | undefined;
}

interface Progress {
  readonly state: FunctionState;
  readonly start: RootState;
  readonly outcomes: Outcome[];
}

function rootAfter(outcomes: readonly Outcome[], start: RootState): RootState {
  if (outcomes.every(({ root }) => root === "object")) return "object";
  return start === "unset" ? "unset" : "value";
}

/** Emits the statements from branch `index` on, for the case that no earlier branch was taken. */
function emitFrom(branching: Branching, index: number, progress: Progress): readonly Code[] {
  const { state, outcomes } = progress;
  const branch = branching.branches[index];
  if (branch === undefined) {
    const statements = branching.otherwise?.() ?? [];
    outcomes.push({ root: state.root, part: state.part });
    return statements;
  }
  const { part } = branch.test;
  const noted = part === undefined ? [] : enterPart(part, state);
  const test = branch.test.noted();
  const tested = state.part;
  const body = block(branch.statements());
  outcomes.push({ root: state.root, part: state.part });
  state.root = progress.start;
  state.part = tested;
  const rest = emitFrom(branching, index + 1, progress);
  const next = branching.branches[index + 1];
  return [...noted, emitIf(test, body, rest, next !== undefined && next.test.part === undefined)];
}

/** Emits `else if` if only the next test follows, and an `else` block otherwise. */
function emitIf(test: Code, body: Code, rest: readonly Code[], chained: boolean): Code {
  const head = group(raw("if ("), indent(fragment([tightBreak]), test), fragment([tightBreak]), raw(") "));
  const then = join([head, body]);
  const [only, ...others] = rest;
  if (only === undefined) return then;
  return code`${then} else ${chained && others.length === 0 ? only : block(rest)}`;
}

/** Notes the part of a statement that failures name, by its number; empty for the statement itself. */
function enterPart(part: string, state: FunctionState): readonly Code[] {
  if (state.part === part) return [];
  state.part = part;
  if (!state.parts.includes(part)) state.parts.push(part);
  return [code`part = ${literal(state.parts.indexOf(part))};`];
}

/** Emits the statements of one block. Each one that can fail first notes its line. */
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

/** Notes the line in the variable that failures name. The first line is its initial value. */
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
  // A value that contains the root must not change when the root does.
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
 * Emits `root.a = if c { x }` as an `if` statement, which assigns nothing if no branch is taken. Also used if a
 * condition can fail, which a preceding statement then notes.
 */
function emitBranched(statement: PlannedStatement, scope: EmitScope): readonly Code[] | undefined {
  if (statement.kind === "Choose") return undefined;
  const { value } = statement;
  const assign = (arm: Planned, inner: EmitScope, isInBlock = true) => {
    return () => {
      const names = isInBlock ? scope.names.inner() : scope.names;
      return emitStatement({ ...statement, value: arm }, { ...inner, names });
    };
  };
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
  // The statement of an arm without any test before it is in no block.
  return emitBranches(
    { branches, otherwise: last && assign(last.value, inner, tested.length > 0) },
    roots,
    inner,
  );
}

/** Whether a value is emitted as branches. A constant needs its value in its declaration. */
function isBranched(statement: Exclude<PlannedStatement, Choose>, branches: Branching["branches"]): boolean {
  if (statement.value.absence) return true;
  if (statement.kind === "AssignVariable" && statement.slot.constant) return false;
  return branches.some(({ test }) => test.part !== undefined && test.part !== "");
}

/** Binds the subject of a `match` statement. It is evaluated first, so it may fail at its own place. */
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
