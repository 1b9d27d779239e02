// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Creates a message from each file of a tar archive, up to 128 MiB each, with the file name as the metadata `tar_name`.
 */
export interface TarScannerOptions {}
