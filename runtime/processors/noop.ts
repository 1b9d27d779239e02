import type { Processor } from "../component/component.ts";
import type { NoopOptions } from "./generated/noop-options.ts";

/** `noop`: passes all messages unchanged, for a case of a `switch` that does nothing. */
export function noop(_options: NoopOptions): Processor {
  return { process: (batch) => [batch] };
}
