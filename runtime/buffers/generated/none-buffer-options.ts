// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Buffers nothing. A message is acknowledged once it is delivered.
 */
export interface NoneBufferOptions {}
