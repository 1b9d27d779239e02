// Folders that commands fill. The files of a build are written all, or a sentence says why not.

import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
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
    for (const path of new Set([folder, ...written.map(dirname)])) await makeFolder(path);
    for (const [name, text] of files) await writeFile(fresh(join(folder, name)), text);
    for (const path of written) await rename(fresh(path), path);
  } catch (error) {
    await Promise.allSettled(written.map((path) => rm(fresh(path), { force: true })));
    throw outputErrorOf(folder, error);
  }
}

/**
 * Makes a folder and those above it that are missing. The recursive `mkdir` of Node never ends where a file system has no place for
 * new folders, as that of processes, nor in a working directory that was removed. Throws an `OutputError`.
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

/** Does `write`; an error of the system becomes an `OutputError` about `folder`. */
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

/**
 * Has `fill` put files into a folder, which is made where it does not exist. Throws an `OutputError` where that fails, with the
 * folder as it was, or where there is something in it already.
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
      // Otherwise a second attempt, on a disk with space, would find a folder that is not empty.
      const made = before === undefined ? [folder] : await addedTo(folder, before);
      for (const path of made) await rm(path, { recursive: true, force: true });
      throw error;
    }
  });
}

async function addedTo(folder: string, before: readonly string[]): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => !before.includes(name)).map((name) => join(folder, name));
}

/** A path as a shell takes it for one word. */
export function shellWord(path: string): string {
  return /^[\w./~+@%:,=-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

/** The folder's name as one of a package: lower-case letters, digits, `-` and `_`; `otherwise` where nothing of it remains. */
export function nameFor(folder: string, otherwise: string): string {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9-_]+/g, "-")
    .replaceAll(/^[-_]+|-+$/g, "");
  return name === "" ? otherwise : name;
}
