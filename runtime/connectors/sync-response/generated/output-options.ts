// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Gives messages back to the caller who waits at the input, as the body of the answer.
 */
export interface SyncResponseOutputOptions {}
