import { RE2JS } from "re2js";
import type { Output } from "../../component/component.ts";
import { dropOn } from "./drop-on.ts";
import type { DropOnOutputOptions } from "./generated/output-options.ts";

/** Like `dropOnOutput`, but classifies errors by patterns, which requires a library. */
export function dropOnPatternsOutput(options: DropOnOutputOptions): Output {
  const { error: onError = false, error_patterns: written = [] } = options;
  const patterns = written.map((pattern) => RE2JS.compile(pattern));
  return dropOn(
    options,
    ({ message }) => onError || patterns.some((pattern) => pattern.matcher(message).find()),
  );
}
