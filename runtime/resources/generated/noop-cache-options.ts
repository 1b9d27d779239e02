// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Stores nothing. Every write succeeds and no key is found.
 */
export interface NoopCacheOptions {}
