// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Creates a message from each JSON document, up to 128 MiB each.
 */
export interface JsonDocumentsScannerOptions {}
