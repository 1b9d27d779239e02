import type { Output } from "../../component/component.ts";
import type { DropOutputOptions } from "./generated/output-options.ts";

/** Confirms every message and keeps none. */
export function dropOutput(_options: DropOutputOptions): Output {
  return {
    start: async () => undefined,
    write: async () => ({}),
    close: async () => undefined,
  };
}
