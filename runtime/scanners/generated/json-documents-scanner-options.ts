// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Makes a message of each JSON document, of up to 128 MiB.
 */
export interface JsonDocumentsScannerOptions {}
