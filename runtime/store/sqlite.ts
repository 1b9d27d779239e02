// The dialect of the embedded database for kysely, with Node's own SQLite.

import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";

/** Milliseconds that a transaction waits for another one, and between two attempts to begin. */
const patience = 10_000;
const attemptEvery = 5;
/** SQLite's code for a database that another process writes to (SQLITE_BUSY). Higher bytes contain details. */
const busyCode = 5;

/** Opens or creates the file at the first statement. */
export function sqliteDialect(file: string): Dialect {
  return {
    createDriver: () => new WritingDriver({ database: async () => openDatabase(file) }),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (database) => new SqliteIntrospector(database),
  };
}

/**
 * Begins every transaction as a writer: a transaction that begins as a reader fails, instead of waiting, if it writes
 * after another one. Waiting does not block the process, which the other transaction may need in order to finish.
 */
class WritingDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    const over = performance.now() + patience;
    for (;;) {
      try {
        await connection.executeQuery(CompiledQuery.raw("begin immediate"));
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() > over) throw error;
      }
      await sleep(attemptEvery);
    }
  }

  /** On a full or failing disk SQLite has already rolled back. The caller then gets the original error. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.rollbackTransaction(connection);
    } catch (error) {
      if (!isOver(error)) throw error;
    }
  }
}

/** Whether the transaction has already ended. SQLite has no specific code for that. */
function isOver(error: unknown): boolean {
  return error instanceof Error && error.message.includes("no transaction is active");
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === busyCode;
}

function openDatabase(file: string): SqliteDatabase {
  const database = new DatabaseSync(file, { timeout: patience });
  database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 0");
  return {
    close: () => database.close(),
    prepare(sql) {
      const statement = database.prepare(sql);
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => statement.all(...inputs(parameters)),
        run: (parameters) => statement.run(...inputs(parameters)),
        iterate: (parameters) => statement.iterate(...inputs(parameters)),
      };
    },
  };
}

/** Checks parameters. SQLite would take an object as the first parameter for named ones and store nothing. */
function inputs(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters.map((parameter) => {
    if (parameter === null || typeof parameter === "string" || typeof parameter === "number")
      return parameter;
    throw new TypeError(`a ${typeof parameter} is not a value of a column`);
  });
}
