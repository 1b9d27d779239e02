// Emits writes to the root. Objects that the function created itself are changed in place; others are copied first. The
// compiler decides this, not the runtime.

import type { AssignField, AssignRoot, Planned } from "../../plan/mapping/ir.ts";
import { annotation, block, type Code, call, code, isPropertyName, literal, objectOf, raw } from "../code.ts";
import { emitValue } from "./dispatch.ts";
import { runtime, runtimeType } from "./runtime.ts";
import { type EmitScope, type RootState, useRun } from "./scope.ts";

/** `root = value` */
export function emitAssignRoot({ value }: AssignRoot, scope: EmitScope): readonly Code[] {
  if (value.kind === "Absence" && value.name === "nothing") return [];
  const written = emitValue(value, scope);
  const { replaced } = scope.state;
  if (!value.absence || value.kind === "Absence") {
    const kept = replaced === undefined ? [] : [keepReplaced(replaced)];
    return [...kept, setRoot(written, ownership(value), scope)];
  }
  if (scope.state.root === "unset") return [setRoot(written, "value", scope)];
  if (replaced !== undefined) {
    const name = raw(scope.names.claim("value", "value"));
    return [
      code`const ${name} = ${written};`,
      code`if (${name} !== ${runtime("nothing")}) ${block([keepReplaced(replaced), setRoot(name, "value", scope)])}`,
    ];
  }
  return [setRoot(call(runtime("assignRoot"), [raw("root"), written]), "value", scope)];
}

/** Returns the state of the root after an assignment. Only literals are new objects; others may be shared. */
function ownership(value: Planned): RootState {
  if (value.kind === "MakeObject")
    return value.entries.some((entry) => entry.value.absence) ? "value" : "object";
  const { kind } = value;
  return kind === "Constant" && value.type === "object" ? "object" : "value";
}

/** `root.a.b = value` */
export function emitAssignField({ path, value }: AssignField, scope: EmitScope): readonly Code[] {
  if (value.kind === "Absence" && value.name === "nothing") return [];
  const written = emitValue(value, scope);
  const [name = "", ...below] = path;
  if (value.kind === "Absence") return [emitDelete(path, scope)];
  if (value.absence) return [emitUncertain(path, written, scope)];
  if (scope.state.root === "unset") return [setRoot(nested(path, written), "object", scope)];
  if (isPosition(name) && scope.state.root !== "object") {
    return [setRoot(call(runtime("setPath"), [raw("root"), literal(path), written]), "value", scope)];
  }
  if (below.length > 0) {
    return [setRoot(call(runtime("withPath"), [raw("root"), literal(path), written]), "object", scope)];
  }
  if (scope.state.root === "object") return [setKey(name, written)];
  return [setRoot(call(runtime("withField"), [raw("root"), literal(name), written]), "object", scope)];
}

/** Whether a segment has another meaning on arrays than on objects. */
function isPosition(segment: string): boolean {
  return segment === "-" || /^[+-]?[0-9]+$/.test(segment);
}

function nested([name = "", ...below]: readonly string[], value: Code): Code {
  return objectOf([[name, below.length === 0 ? value : nested(below, value)]]);
}

/**
 * Names of fields that must not be set by a plain assignment: `__proto__` would change the prototype, and TypeScript
 * declares the others as functions of every object.
 */
const ofEveryObject: ReadonlySet<string> = new Set(
  `__proto__ constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf`.split(
    " ",
  ),
);

function setKey(name: string, value: Code): Code {
  if (ofEveryObject.has(name)) return code`${call(runtime("setKey"), [raw("root"), literal(name), value])};`;
  return isPropertyName(name) ? code`root.${raw(name)} = ${value};` : code`root[${name}] = ${value};`;
}

function emitDelete(path: readonly string[], scope: EmitScope): Code {
  const [name = "", ...below] = path;
  const { root } = scope.state;
  if (root === "unset") return setRoot(raw("{}"), "object", scope);
  if (root === "object" && below.length === 0) {
    return setRoot(call(runtime("withoutField"), [raw("root"), literal(name)]), "object", scope);
  }
  return setRoot(call(runtime("deletePath"), [raw("root"), literal(path)]), "value", scope);
}

/** Emits a value that can mean to delete or to skip. */
function emitUncertain(path: readonly string[], value: Code, scope: EmitScope): Code {
  const { root } = scope.state;
  const [name = "", ...below] = path;
  if (root === "object" && below.length === 0) {
    return code`${call(runtime("assignKey"), [raw("root"), literal(name), value])};`;
  }
  const before = root === "unset" ? runtime("nothing") : raw("root");
  return setRoot(call(runtime("assignPath"), [before, literal(path), value]), "value", scope);
}

/** Emits an assignment to the root; declares the variable the first time. */
function setRoot(value: Code, becomes: RootState, scope: EmitScope): Code {
  const { state } = scope;
  const before = state.root;
  state.root = becomes;
  if (before !== "unset") {
    state.rootChanges = true;
    return code`root = ${value};`;
  }
  return declareRoot(value, scope);
}

/** Emits the declaration of the root. */
export function declareRoot(value: Code, scope: EmitScope): Code {
  scope.state.used.add("root");
  return code`${scope.state.rootKeyword} root${annotation(code`: ${runtimeType("Draft")}`)} = ${value};`;
}

/** Declares the variable that receives the document of a mutation when another root replaces it. */
export function declareReplaced(scope: EmitScope): Code {
  const name = raw(scope.names.claim("replaced", "replaced"));
  scope.state.replaced = name;
  return code`let ${name}${annotation(code`: ${runtimeType("Draft")} | undefined`)};`;
}

function keepReplaced(replaced: Code): Code {
  return code`if (${replaced} === undefined) ${replaced} = root;`;
}

/** Emits the declaration of the root at the start of a mutation or a result mapping. */
export function declareInitialRoot(scope: EmitScope): Code {
  return declareRoot(code`${useRun(scope)}.initialRoot()`, scope);
}
