// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Lets every message pass unchanged.
 */
export interface NoopOptions {}
