// Copies SQLite databases through SQLite itself: a plain copy of a file that is being written is not a valid database.

import { open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { describeSystemError } from "../../compiler/cli/output-folder.ts";

/** A file cannot be copied or replaced. The message is for people. */
export class StoreFileFailure extends Error {
  override readonly name = "StoreFileFailure";
}

/** Milliseconds to wait for a transaction of another process. */
const patience = 10_000;

/**
 * Copies a consistent snapshot of the database `from` to the new file `to`, while others may read and write it. Only
 * the owner can read the copy. On failure, rejects with a `StoreFileFailure` and leaves no file.
 */
export async function copyDatabase(from: string, to: string): Promise<void> {
  if (!(await exists(from))) throw new StoreFileFailure(`there is no file \`${from}\``);
  const made = await open(to, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === "EEXIST" ? "it exists" : describeSystemError(error);
    throw new StoreFileFailure(`cannot write \`${to}\`: ${reason}`);
  });
  await made.close();
  try {
    await inDatabase(from, (database) => {
      verifyStore(database, from);
      database.prepare("vacuum into ?").run(to);
    });
    await inDatabase(to, (database) => verifyStore(database, to));
    await flush(to);
  } catch (error) {
    await rm(to, { force: true });
    throw error;
  }
}

/**
 * Atomically replaces `to` with a copy of the database `from`. An existing file is replaced only if `mayReplace` is
 * true and no process has it open. On failure, rejects with a `StoreFileFailure` and leaves `to` unchanged.
 */
export async function replaceDatabase(from: string, to: string, mayReplace: boolean): Promise<void> {
  const isThere = await exists(to);
  if (isThere && !mayReplace) throw new StoreFileFailure(`\`${to}\` exists; --replace replaces it`);
  const fresh = `${to}.${process.pid}.new`;
  await copyDatabase(from, fresh);
  try {
    if (isThere) await closeForGood(to);
    await rename(fresh, to);
    await flush(dirname(to));
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}

/**
 * Writes the log of a database into its file and removes it. SQLite does so only if no other process has the database
 * open.
 */
async function closeForGood(file: string): Promise<void> {
  await inDatabase(
    file,
    (database) => {
      database.exec("pragma journal_mode = delete");
    },
    0,
  );
}

/**
 * Throws a `StoreFileFailure` unless the database is intact and has the tables of a gateway or a management service.
 */
function verifyStore(database: DatabaseSync, file: string): void {
  const found = database.prepare("pragma quick_check(1)").get();
  if (Object.values(found ?? {})[0] !== "ok") throw new StoreFileFailure(`\`${file}\` is damaged`);
  const names = "('migrations', 'management_migrations')";
  const tables = database.prepare(`select count(*) as count from sqlite_master where name in ${names}`).get();
  if (tables?.count === 0) throw new StoreFileFailure(`\`${file}\` is not the store of a gateway`);
}

async function inDatabase(
  file: string,
  work: (database: DatabaseSync) => void,
  timeout = patience,
): Promise<void> {
  const { DatabaseSync } = await import("node:sqlite").catch(() => {
    throw new StoreFileFailure("stores in SQLite need Node 22.15 or later");
  });
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout });
    work(database);
  } catch (error) {
    if (error instanceof StoreFileFailure) throw error;
    const code = error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : 0;
    throw new StoreFileFailure(
      code === 5
        ? `\`${file}\` is in use; stop the gateways that have it open`
        : `\`${file}\`: ${error instanceof Error ? error.message : error}`,
    );
  } finally {
    database?.close();
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

/** Flushes written data to the disk. */
async function flush(path: string): Promise<void> {
  await using handle = await open(path, "r");
  await handle.sync();
}
