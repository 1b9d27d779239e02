// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Confirms every message and keeps none.
 */
export interface DropOutputOptions {}
