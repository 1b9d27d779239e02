import type { Output } from "../../component/component.ts";
import type { SyncResponseOutputOptions } from "./generated/output-options.ts";

/** Gives the messages back to the caller who waits at the input: their content is the body of the answer. */
export function syncResponseOutput(_options: SyncResponseOutputOptions): Output {
  return {
    start: async () => undefined,
    write: async (batch) => ({ response: batch }),
    close: async () => undefined,
  };
}
