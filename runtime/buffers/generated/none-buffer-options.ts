// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Keeps nothing: a message is acknowledged once it is delivered.
 */
export interface NoneBufferOptions {}
