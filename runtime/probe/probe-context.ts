// The surroundings that components are given when they are only tried out.

import type { ComponentContext } from "../component/component.ts";
import type { Logger } from "../process/log.ts";

const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => silent,
};

/** Nothing is logged: findings say what there is to say. */
export function probeContext(): ComponentContext {
  return { log: silent, signal: new AbortController().signal };
}
