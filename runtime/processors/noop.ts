import type { Processor } from "../component/component.ts";
import type { NoopOptions } from "./generated/noop-options.ts";

/** `noop`: lets everything pass; for a case of a `switch` that is to do nothing. */
export function noop(_options: NoopOptions): Processor {
  return { process: (batch) => [batch] };
}
