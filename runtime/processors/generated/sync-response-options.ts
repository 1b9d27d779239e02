// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Sends the messages in their current state as the response to the caller that waits at the input, once the batch is delivered. The messages also continue.
 */
export interface SyncResponseOptions {}
