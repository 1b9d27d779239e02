// Folders that commands fill.

import { readdirSync } from "node:fs";
import { basename, resolve } from "node:path";

/** Whether a folder does not exist, or is empty but for a repository. */
export function isFree(folder: string): boolean {
  try {
    return readdirSync(folder).every((name) => name === ".git");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return true;
    if (error instanceof Error && "code" in error && error.code === "ENOTDIR") return false;
    throw error;
  }
}

/** The folder's name as one of a package: lower-case letters, digits, `-` and `_`; `otherwise` where nothing of it remains. */
export function nameFor(folder: string, otherwise: string): string {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9-_]+/g, "-")
    .replaceAll(/^[-_]+|-+$/g, "");
  return name === "" ? otherwise : name;
}
