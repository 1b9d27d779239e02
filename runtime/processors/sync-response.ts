import type { Processor } from "../component/component.ts";
import type { SyncResponseOptions } from "./generated/sync-response-options.ts";

/**
 * `sync_response`: responds to the client that waits at the input with the messages in their current state, once the
 * whole batch is delivered. Later changes to the messages do not affect the response, even if they are dropped.
 */
export function syncResponse(_options: SyncResponseOptions): Processor {
  return {
    process(batch, { delivery }) {
      delivery?.reply(batch);
      return [batch];
    },
  };
}
