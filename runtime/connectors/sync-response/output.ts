import type { Output } from "../../component/component.ts";
import type { SyncResponseOutputOptions } from "./generated/output-options.ts";

/** Returns the messages to the caller that waits at the input: their content is the body of the response. */
export function syncResponseOutput(_options: SyncResponseOutputOptions): Output {
  return {
    start: async () => undefined,
    write: async (batch) => ({ response: batch }),
    close: async () => undefined,
  };
}
