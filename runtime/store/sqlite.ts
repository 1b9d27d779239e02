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

/** Milliseconds that a statement waits for a transaction of another gateway, and between two attempts. */
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
 * after another one.
 */
class WritingDriver extends SqliteDriver {
  #connection: DatabaseConnection | undefined;

  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#connection ??= waiting(await super.acquireConnection());
    return this.#connection;
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
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

/**
 * Returns a connection whose statements wait for the transaction of another gateway, without blocking the process: the
 * other transaction may need it in order to finish.
 */
function waiting(connection: DatabaseConnection): DatabaseConnection {
  return {
    async executeQuery(query) {
      const over = performance.now() + patience;
      for (;;) {
        try {
          return await connection.executeQuery(query);
        } catch (error) {
          if (!isBusy(error) || performance.now() > over) throw error;
        }
        await sleep(attemptEvery);
      }
    },
    streamQuery: (query, size) => connection.streamQuery(query, size),
  };
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
