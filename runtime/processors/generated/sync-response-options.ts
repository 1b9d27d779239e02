// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Answers the caller who waits at the input with the messages as they are here, once the batch is delivered; they go on as well.
 */
export interface SyncResponseOptions {}
