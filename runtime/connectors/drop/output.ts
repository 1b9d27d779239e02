import type { Output } from "../../component/component.ts";
import type { DropOutputOptions } from "./generated/output-options.ts";

/** Confirms every message and discards it. */
export function dropOutput(_options: DropOutputOptions): Output {
  const confirmed = Promise.resolve({});
  return {
    start: async () => undefined,
    write: () => confirmed,
    close: async () => undefined,
  };
}
