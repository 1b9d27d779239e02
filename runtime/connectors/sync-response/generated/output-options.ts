// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Returns messages to the caller that waits at the input, as the body of the response.
 */
export interface SyncResponseOutputOptions {}
