// Replaces the texts of existing files atomically, keeping their mode, byte order mark and the symbolic link
// that leads to them.

import { access, chmod, constants, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import type { ChangedFile } from "./fix-documents.ts";
import { describeSystemError, OutputError } from "./output-folder.ts";

/** A new text on the disk, next to the file that it replaces. */
interface Prepared {
  readonly path: string;
  readonly fresh: string;
}

/** Replaces files. If one cannot be replaced, for example because it changed meanwhile, none are. */
export async function replaceFiles(changed: readonly ChangedFile[]): Promise<void> {
  const prepared: Prepared[] = [];
  try {
    for (const each of changed) prepared.push(await prepare(each));
    for (const { path, fresh } of prepared) await rename(fresh, path);
  } finally {
    await Promise.allSettled(prepared.map(({ fresh }) => rm(fresh, { force: true })));
  }
}

async function prepare({ path, before, after }: ChangedFile): Promise<Prepared> {
  try {
    const target = await realpath(path);
    await access(target, constants.W_OK);
    const now = await readFile(target, "utf8");
    const mark = now.startsWith("\uFEFF") ? "\uFEFF" : "";
    if (now !== mark + before) throw new OutputError(`\`${path}\` changed while it was being fixed`);
    const fresh = `${target}.${process.pid}.new`;
    await writeFile(fresh, mark + after, { flag: "wx" });
    await chmod(fresh, (await stat(target)).mode);
    return { path: target, fresh };
  } catch (error) {
    if (error instanceof OutputError) throw error;
    throw new OutputError(`cannot write to \`${path}\`: ${describeSystemError(error)}`, { cause: error });
  }
}
