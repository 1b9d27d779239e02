// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Creates one message from the whole source, up to 128 MiB.
 */
export interface ToTheEndScannerOptions {}
