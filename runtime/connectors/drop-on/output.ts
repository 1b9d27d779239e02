import type { Output } from "../../component/component.ts";
import { dropOn } from "./drop-on.ts";
import type { DropOnOutputOptions } from "./generated/output-options.ts";

/** Drops what its output fails on, whatever the error, or does not take in time. */
export function dropOnOutput(options: DropOnOutputOptions): Output {
  return dropOn(options, () => options.error === true);
}
