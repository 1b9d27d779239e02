// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Makes one message of the whole source, up to 128 MiB.
 */
export interface ToTheEndScannerOptions {}
