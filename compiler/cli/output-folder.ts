// Folders that commands fill. The files of a build are written all, or a sentence says why not.

import { readdirSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { getSystemErrorMessage } from "node:util";

/** The folder cannot be written to. The message is a sentence for the user. */
export class OutputError extends Error {
  override readonly name = "OutputError";
}

/**
 * Writes files by name into `folder`, which is made where it does not exist, as are folders in names. Each file is replaced whole,
 * after all of them are on the disk: a gateway that restarts meanwhile never reads half a bundle.
 */
export async function writeOutput(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  const written = [...files.keys()].map((name) => join(folder, name));
  const fresh = (path: string) => `${path}.new`;
  try {
    await mkdir(folder, { recursive: true });
    for (const path of new Set(written.map(dirname))) await mkdir(path, { recursive: true });
    for (const [name, text] of files) await writeFile(fresh(join(folder, name)), text);
    for (const path of written) await rename(fresh(path), path);
  } catch (error) {
    await Promise.allSettled(written.map((path) => rm(fresh(path), { force: true })));
    throw new OutputError(`cannot write to \`${folder}\`: ${describeSystemError(error)}`, { cause: error });
  }
}

/** Does `write`; an error of the system becomes an `OutputError` about `folder`. */
export async function orOutputError(folder: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw new OutputError(`cannot write to \`${folder}\`: ${describeSystemError(error)}`, { cause: error });
  }
}

/** A sentence about a file or a folder that the system did not give, or about anything else that it refused. */
export function describeFileError(error: Error): string {
  const path = "path" in error && typeof error.path === "string" ? error.path : undefined;
  return path === undefined ? error.message : `\`${path}\`: ${describeSystemError(error)}`;
}

/** The words for an error of the system, without path and code. */
export function describeSystemError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "errno" in error && typeof error.errno === "number"
    ? getSystemErrorMessage(error.errno)
    : error.message;
}

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
