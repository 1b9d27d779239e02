// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../component/text.ts";

/**
 * Waits for each message of a batch in turn before the batch goes on.
 */
export interface SleepOptions {
  /**
   * Time to wait for each message.
   */
  readonly duration: Text;
}
