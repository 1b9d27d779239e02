import type { Processor } from "../component/component.ts";
import type { SyncResponseOptions } from "./generated/sync-response-options.ts";

/**
 * `sync_response`: answers the caller who waits at the input with the messages as they are here, once the whole
 * batch is delivered. What happens to them afterwards does not change the answer, not even that they are dropped.
 */
export function syncResponse(_options: SyncResponseOptions): Processor {
  return {
    process(batch, { delivery }) {
      delivery?.reply(batch);
      return [batch];
    },
  };
}
