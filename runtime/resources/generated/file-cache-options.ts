// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Stores each value in a file of a folder, named after its key. Values do not expire, even if they are written with a TTL.
 */
export interface FileCacheOptions {
  /**
   * Folder of the files, which is created if it does not exist.
   */
  readonly directory: string;
}
