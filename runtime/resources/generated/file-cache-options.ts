// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Keeps each value in a file of a folder, named after its key. Values have no end, whatever time they are written with.
 */
export interface FileCacheOptions {
  /**
   * Folder of the files, which is created where it does not exist.
   */
  readonly directory: string;
}
