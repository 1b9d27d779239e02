// Runs `sluice store backup`, `restore` and `migrate`.

import { misuse } from "../../compiler/cli/exit-codes.ts";
import { copyDatabase, replaceDatabase, StoreFileFailure } from "./sqlite-files.ts";

/** Options of `sluice store restore`. */
export interface RestoreOptions {
  readonly replace?: boolean;
}

/** Copies a store to a file. Returns the exit code. */
export async function runBackup(file: string, address: string | undefined): Promise<number> {
  return onSqlite(address, "pg_dump", async (store) => {
    await copyDatabase(store, file);
    process.stderr.write(`sluice: ${store} is copied to ${file}\n`);
  });
}

/** Replaces a store with a copy. Returns the exit code. */
export async function runRestore(
  file: string,
  address: string | undefined,
  { replace = false }: RestoreOptions,
): Promise<number> {
  return onSqlite(address, "pg_restore", async (store) => {
    await replaceDatabase(file, store, replace);
    process.stderr.write(`sluice: restored ${store} from ${file}\n`);
  });
}

/** Runs the pending migrations of a store and prints their names. Returns the exit code. */
export async function runMigrate(address: string | undefined): Promise<number> {
  const store = readAddress(address);
  if (typeof store === "string") return misuse(store);
  const { migrateStore } = await import("../../management/store/migrate-store.ts");
  const { names, failure } = await migrateStore(store.text);
  if (failure !== undefined) return fail(failure);
  for (const name of names) process.stdout.write(`${name}\n`);
  process.stderr.write(names.length === 0 ? "sluice: the store is up to date\n" : "");
  return 0;
}

/** Calls `work` with the file of an SQLite store. For PostgreSQL, prints that the program `instead` does the work. */
async function onSqlite(
  address: string | undefined,
  instead: string,
  work: (file: string) => Promise<void>,
): Promise<number> {
  const store = readAddress(address);
  if (typeof store === "string") return misuse(store);
  if (store.file === undefined) return fail(`the store is in PostgreSQL: use ${instead}`);
  try {
    await work(store.file);
    return 0;
  } catch (error) {
    if (error instanceof StoreFileFailure) return fail(error.message);
    throw error;
  }
}

/** The address of a store: of a file, or else of PostgreSQL. */
interface WrittenAddress {
  readonly text: string;
  readonly file?: string;
}

/** Returns the address in the argument or the environment; a text says why there is none, without quoting it. */
function readAddress(written: string | undefined): WrittenAddress | string {
  const text = written ?? process.env.GW_STORE_URL ?? "";
  if (text === "") return "name the store as an argument or in GW_STORE_URL";
  const file = /^sqlite:(?:\/\/)?(.+)$/is.exec(text)?.[1];
  if (file !== undefined) return { text, file };
  return /^postgres(?:ql)?:\/\//i.test(text) && URL.canParse(text)
    ? { text }
    : "the store is neither `sqlite:PATH` nor `postgres://…`";
}

function fail(text: string): number {
  process.stderr.write(`sluice: ${text}\n`);
  return 1;
}
