// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Makes a message of each file of a tar archive, of up to 128 MiB, with its name as the metadata `tar_name`.
 */
export interface TarScannerOptions {}
