// `if` statements: tests in their order, what is known of the root after them, and which part fails.

import { block, type Code, code, fragment, group, indent, join, literal, raw, tightBreak } from "../code.ts";
import type { EmittedTest } from "./control.ts";
import { declareRoot } from "./root.ts";
import { runtime } from "./runtime.ts";
import type { EmitScope, FunctionState, RootState } from "./scope.ts";

/** What to write an `if` of. Statements are written in their order, each once. */
export interface Branching {
  readonly branches: readonly {
    readonly test: EmittedTest;
    readonly statements: () => readonly Code[];
  }[];
  readonly otherwise: (() => readonly Code[]) | undefined;
}

/** With more branches than this, noting parts between them would nest them too deep to be read. */
const mostNested = 4;

/** The `if` with all its branches; `roots` tells whether any assigns the root. */
export function emitBranches(branching: Branching, roots: boolean, scope: EmitScope): readonly Code[] {
  const { state } = scope;
  const before: Code[] = [];
  if (roots && state.root === "unset") {
    // Constants that tests need stand before the `if`, and may read the root.
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

/** The same with tests that name their part themselves. */
function withoutParts({ branches, otherwise }: Branching): Branching {
  const alone = branches.map(({ test, statements }) => ({
    test: { part: undefined, noted: test.alone, alone: test.alone },
    statements,
  }));
  return { branches: alone, otherwise };
}

/** What is known at the end of a branch. */
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

/** The statements from branch `index` on, for where none before it was taken. */
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

/** `else if` where the next test is the only thing that follows, else a block. */
function emitIf(test: Code, body: Code, rest: readonly Code[], chained: boolean): Code {
  const head = group(raw("if ("), indent(fragment([tightBreak]), test), fragment([tightBreak]), raw(") "));
  const then = join([head, body]);
  const [only, ...others] = rest;
  if (only === undefined) return then;
  return code`${then} else ${chained && others.length === 0 ? only : block(rest)}`;
}

/** Notes by its number the part of a statement that the failure will name; empty for the statement itself. */
export function enterPart(part: string, state: FunctionState): readonly Code[] {
  if (state.part === part) return [];
  state.part = part;
  if (!state.parts.includes(part)) state.parts.push(part);
  return [code`part = ${literal(state.parts.indexOf(part))};`];
}
