// Emits the statements of a mapping or a named map, with the variables before them and failures that name their line.

import {
  collectReadSlots,
  readsAssignedMetadata,
  readsMessage,
  readsReplacedDocument,
  readsRoot,
  writesRoot,
} from "../../plan/mapping/contents.ts";
import type { MappingPlan, Slot } from "../../plan/mapping/ir.ts";
import { annotation, block, type Code, call, code, list, literal, raw } from "../code.ts";
import { emitPlanned } from "./expressions.ts";
import { declareInitialRoot, declareReplaced } from "./root.ts";
import { runtime, runtimeType } from "./runtime.ts";
import {
  createEmitScope,
  createFunction,
  type EmitScope,
  type FunctionState,
  mutatedDocument,
  useRun,
} from "./scope.ts";
import { emitStatements } from "./statements.ts";
import { slotName } from "./variables.ts";

/** Statements, and the state of the function that contains them. */
export interface WrittenBody {
  readonly state: FunctionState;
  readonly body: readonly Code[];
}

/** The function that a mapping's statements are emitted for. */
export interface BodyPlace {
  /** The name of the function, or of a part of it that must not share names with others. */
  readonly name: string;
  /** The functions of named maps by name of the map. */
  readonly maps: ReadonlyMap<string, string>;
  /** Returns the statements after the last one, given the root. */
  end(root: Code): readonly Code[];
  /**
   * Returns the statement for a failure; may return none if `failure` is `undefined`, which means that no statement can
   * fail.
   */
  failed(failure: Code | undefined): Code | undefined;
}

/** Emits the statements of a mapping with everything that belongs to them. */
export function emitBody(plan: MappingPlan, place: BodyPlace): WrittenBody {
  return finishRoot((keyword) => {
    const isMutation = plan.mode === "mutation";
    const followsMessage = isMutation && readsMessage(plan);
    const usesRoot = followsMessage || writesRoot(plan.statements) || readsRoot(plan.statements);
    const kind = usesRoot && plan.mode !== "function" ? plan.mode : "mapping";
    const state = createFunction({
      kind,
      name: place.name,
      emit: emitPlanned,
      maps: place.maps,
      readSlots: collectReadSlots(plan.statements),
      rootKeyword: keyword,
    });
    const scope = createEmitScope(state);
    const keeps = kind === "mutation" && readsReplacedDocument(plan);
    const initial = [
      ...(state.root === "unset" ? [] : [declareInitialRoot(scope)]),
      ...(keeps ? [declareReplaced(scope)] : []),
      ...(followsMessage || (isMutation && readsAssignedMetadata(plan))
        ? [beginMutation(followsMessage, scope)]
        : []),
    ];
    const statements = emitStatements(plan.statements, scope);
    const variables = declareVariables(plan.slots, scope);
    const root = rootAtEnd(plan, scope);
    const all = [...initial, ...statements, ...place.end(root)];
    return { state, body: [...variables, ...guard(all, state, "failedAssignment", place.failed)] };
  });
}

/** Emits the root after the statements. A mutation that never assigns it still takes the quotes off a JSON text. */
function rootAtEnd({ mode }: MappingPlan, scope: EmitScope): Code {
  if (scope.state.used.has("root")) return raw("root");
  return mode === "mutation" || mode === "result" ? code`${useRun(scope)}.initialText()` : runtime("nothing");
}

/** Emits `run.mutate(() => run.mutated(root));`, for functions that read what the mutation has changed. */
function beginMutation(followsMessage: boolean, scope: EmitScope): Code {
  const document = followsMessage ? code`() => ${mutatedDocument(scope)}` : code``;
  return code`${useRun(scope)}.mutate(${document});`;
}

/** Emits a function, and emits it again with `const` if its root never changes. */
export function finishRoot<T extends { readonly state: FunctionState }>(write: (keyword: Code) => T): T {
  const written = write(raw("let"));
  return written.state.rootChanges ? written : write(raw("const"));
}

/** Adds the line to failures of statements. */
export function guard(
  statements: readonly Code[],
  { lines, parts }: FunctionState,
  wrap: "failedAssignment" | "failedMapAssignment",
  failed: BodyPlace["failed"] = rethrow,
): readonly Code[] {
  const [first, ...others] = lines;
  const line = others.length === 0 ? literal(first) : raw("line");
  const notesParts = parts.length > 1;
  // The texts are created only on failure: without one, a message only involves numbers.
  const texts = list("[", parts.map(literal), "]");
  const args = [line, raw("error"), ...(notesParts ? [code`${texts}[part]`] : [])];
  const handled = failed(first === undefined ? undefined : call(runtime(wrap), args));
  if (handled === undefined) return statements;
  const guarded = code`try ${block(statements)} catch (error) ${block([handled])}`;
  return [
    ...(others.length === 0 ? [] : [code`let line = ${literal(first)};`]),
    ...(notesParts ? [raw("let part = 0;")] : []),
    guarded,
  ];
}

/** Passes the failure on to the caller. */
export function rethrow(failure: Code | undefined): Code | undefined {
  return failure === undefined ? undefined : code`throw ${failure};`;
}

/** Emits `let total: Value | undefined;` for each variable that is read and assigned more than once. */
export function declareVariables(slots: readonly Slot[], scope: EmitScope): readonly Code[] {
  return slots
    .filter((slot) => !slot.constant && scope.state.readSlots.has(slot))
    .map(
      (slot) =>
        code`let ${raw(slotName(slot, scope))}${annotation(code`: ${runtimeType("Value")} | undefined`)};`,
    );
}
