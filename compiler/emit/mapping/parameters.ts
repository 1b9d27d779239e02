// Parameters and results of functions: names and types.

import { annotation, type Code, code, raw } from "../code.ts";
import { runtimeType } from "./runtime.ts";
import type { FunctionState } from "./scope.ts";

/** `name: type` */
export function typed(name: string, type: Code): Code {
  return code`${raw(name)}${annotation(code`: ${type}`)}`;
}

/** The name of a parameter, led by `_` where the body has no use for it. */
export function unusedAs(name: string, state: FunctionState): string {
  return state.used.has(name) ? name : `_${name}`;
}

/** What is known of the messages of a mapping, as types; what is absent is unknown. */
export interface StepTypes {
  /** Of the messages that come to its processor. */
  readonly reads?: Code | undefined;
  /** Of those that it gives. */
  readonly gives?: Code | undefined;
}

/** `Batch<IntakeMessages["input"]>`; `Batch` where nothing is known. */
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
