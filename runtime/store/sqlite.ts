// The embedded database: Node's own SQLite behind kysely.

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

/** Milliseconds that a transaction waits for another to finish, and between its attempts. */
const patience = 10_000;
const attemptEvery = 5;
/** SQLite's code for a database that another writes to (SQLITE_BUSY); the rest of the number says more. */
const busyCode = 5;

/** Opens, or makes, the file when the first statement is run. */
export function sqliteDialect(file: string): Dialect {
  return {
    createDriver: () => new WritingDriver({ database: async () => openDatabase(file) }),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (database) => new SqliteIntrospector(database),
  };
}

/**
 * Begins every transaction as a writer: one that began as a reader fails when it writes after another, instead of
 * waiting. It waits without holding the process up, which may be what the other waits for.
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

  /** On a full or failing disk SQLite has rolled back already; the caller gets the error of the disk, not that of the rollback. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.rollbackTransaction(connection);
    } catch (error) {
      if (!isOver(error)) throw error;
    }
  }
}

/** Whether there is no transaction any more; SQLite has no code of its own for that. */
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

/** An object as the first parameter would be taken for named ones, and nothing be stored. */
function inputs(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters.map((parameter) => {
    if (parameter === null || typeof parameter === "string" || typeof parameter === "number")
      return parameter;
    throw new TypeError(`a ${typeof parameter} is not a value of a column`);
  });
}
