// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Watches files and folders. Each change is a message without content, whose metadata names the path and the operation: `CREATE`, `WRITE` (more writes may follow), `REMOVE`, `RENAME` (of the old name; the new one gets `CREATE`) or `CHMOD` (the attributes changed). The input ends when everything it watched is removed. For development: changes while the gateway does not run are not reported.
 */
export interface FsEventInputOptions {
  /**
   * Files and folders to watch. All of them must exist. Relative paths start at the working directory of the gateway.
   */
  readonly paths: readonly string[];
  /**
   * Whether the folders below `paths` are watched, too.
   */
  readonly is_recursive?: boolean;
  /**
   * Whether folders that are created in a watched folder are watched from then on.
   */
  readonly watch_new_subdirs?: boolean;
  /**
   * Extensions of the names whose changes are reported, with or without the dot. Without any, all changes are reported.
   */
  readonly extensions?: readonly string[];
}

/** What the fields hold that a document leaves out. */
export const fsEventInputDefaults = {
  is_recursive: false,
  watch_new_subdirs: false,
  extensions: []
} as const satisfies Partial<FsEventInputOptions>;
