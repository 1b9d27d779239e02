// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Confirms and discards every message.
 */
export interface DropOutputOptions {}
