// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Keeps nothing: every value is taken and none is found.
 */
export interface NoopCacheOptions {}
