// Names and types of function parameters and results.

import { annotation, type Code, code, raw } from "../code.ts";
import { runtimeType } from "./runtime.ts";
import type { FunctionState } from "./scope.ts";

/** `name: type` */
export function typed(name: string, type: Code): Code {
  return code`${raw(name)}${annotation(code`: ${type}`)}`;
}

/** Returns the name of a parameter, with the prefix `_` if the body does not use it. */
export function unusedAs(name: string, state: FunctionState): string {
  return state.used.has(name) ? name : `_${name}`;
}

/** The types of the messages of a mapping; absent if unknown. */
export interface StepTypes {
  /** The type of the messages that its processor receives. */
  readonly reads?: Code | undefined;
  /** The type of the messages that it returns. */
  readonly gives?: Code | undefined;
}

/** `Batch<IntakeMessages["input"]>`; `Batch` if the type is unknown. */
export function batchOf(content: Code | undefined): Code {
  return withContent(runtimeType("Batch"), content);
}

/** `: Message<IntakeMessages["output"]> | undefined` */
export function resultOf(content: Code | undefined): Code {
  return annotation(code`: ${withContent(runtimeType("Message"), content)} | undefined`);
}

function withContent(type: Code, content: Code | undefined): Code {
  return content === undefined ? type : code`${type}<${content}>`;
}
