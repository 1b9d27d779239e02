// Writes to output folders. Either all files of a build are written, or an error states why not.

import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { getSystemErrorMap } from "node:util";

/** The folder cannot be written to. The message is a sentence for the user. */
export class OutputError extends Error {
  override readonly name = "OutputError";
}

/**
 * Writes files by name into `folder`. Creates the folder, and folders in names, if they do not exist. Each file is
 * replaced atomically after all of them are on the disk, so that a gateway that restarts meanwhile never reads part
 * of a bundle.
 */
export async function writeOutput(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  const written = [...files.keys()].map((name) => join(folder, name));
  const fresh = (path: string) => `${path}.new`;
  try {
    for (const path of new Set([folder, ...written.map(dirname)])) await makeFolder(path);
    for (const [name, text] of files) await writeFile(fresh(join(folder, name)), text);
    for (const path of written) await rename(fresh(path), path);
  } catch (error) {
    await Promise.allSettled(written.map((path) => rm(fresh(path), { force: true })));
    throw outputErrorOf(folder, error);
  }
}

/**
 * Creates a folder and its missing parents. Node's recursive `mkdir` never ends on a file system that does not allow
 * new folders, such as `/proc`, and in a working directory that was removed. Throws an `OutputError`.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await make(resolve(folder));
  } catch (error) {
    throw outputErrorOf(folder, error);
  }
}

async function make(folder: string, canMakeAbove = true): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" && canMakeAbove && dirname(folder) !== folder) {
      await make(dirname(folder));
      return make(folder, false);
    }
    if (code === "ENOENT") throw new Error(`\`${dirname(folder)}\` takes no new folders`, { cause: error });
    const found = await stat(folder).catch(() => undefined);
    if (found === undefined) throw error;
    if (!found.isDirectory()) throw new Error(`\`${folder}\` is a file`, { cause: error });
  }
}

/** Calls `write`; rejects with an `OutputError` about `folder` if the system reports an error. */
export async function orOutputError(folder: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw outputErrorOf(folder, error);
  }
}

function outputErrorOf(path: string, error: unknown): OutputError {
  if (error instanceof OutputError) return error;
  return new OutputError(`cannot write to \`${path}\`: ${describeSystemError(error)}`, { cause: error });
}

/** Describes a system error, with the path of the file or folder if there is one. */
export function describeFileError(error: Error): string {
  const path = "path" in error && typeof error.path === "string" ? error.path : undefined;
  return path === undefined ? error.message : `\`${path}\`: ${describeSystemError(error)}`;
}

/** Returns the text of a system error, without path and code. */
export function describeSystemError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Node 20 has no `getSystemErrorMessage`.
  const errno = "errno" in error && typeof error.errno === "number" ? error.errno : undefined;
  const [, text = error.message] = (errno !== undefined && getSystemErrorMap().get(errno)) || [];
  return text;
}

/**
 * Calls `fill` to put files into a folder, which is created if it does not exist. Throws an `OutputError` if the
 * folder is not empty, or if `fill` fails; the folder is then restored to its previous state.
 */
export async function fillFolder(folder: string, fill: () => void): Promise<void> {
  await orOutputError(folder, async () => {
    const before = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      if (error.code === "ENOTDIR") throw new OutputError(`${folder} is not an empty folder`);
      throw error;
    });
    if (before?.some((name) => name !== ".git") === true)
      throw new OutputError(`${folder} is not an empty folder`);
    await makeFolder(folder);
    try {
      fill();
    } catch (error) {
      // Otherwise a second attempt, for example after freeing disk space, would find a folder that is not empty.
      const made = before === undefined ? [folder] : await addedTo(folder, before);
      for (const path of made) await rm(path, { recursive: true, force: true });
      throw error;
    }
  });
}

async function addedTo(folder: string, before: readonly string[]): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => !before.includes(name)).map((name) => join(folder, name));
}

/** Quotes a path so that a shell reads it as one word. */
export function shellWord(path: string): string {
  return /^[\w./~+@%:,=-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

/** Returns the folder's name as a package name: lower-case letters, digits, `-` and `_`; `otherwise` if none remain. */
export function nameFor(folder: string, otherwise: string): string {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9-_]+/g, "-")
    .replaceAll(/^[-_]+|-+$/g, "");
  return name === "" ? otherwise : name;
}
