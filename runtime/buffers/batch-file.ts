// Batches in a SQLite database until they are delivered. Each belongs to the buffer that wrote it; those of a process that
// has ended go to the next buffer that opens the file.

import { randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { GatewayError } from "../errors.ts";
import { parseJsonText, printJson } from "../message/json.ts";
import { type Batch, Message } from "../message/message.ts";
import { isObject } from "../message/value.ts";
import { machineFile } from "../process/machine-files.ts";

/** Milliseconds that a statement waits for another process that writes. */
const busyTime = 5_000;

/** A batch of the file. */
export interface KeptBatch {
  readonly id: number;
  readonly batch: Batch;
}

/** The file, as one buffer sees it. Every method throws a `GatewayError` where the database fails. */
export interface BatchFile {
  /** Writes batches; they are on the disk when it returns. */
  add(batches: readonly Batch[]): void;
  /** The first batch of this buffer behind the one with the given number. */
  nextAfter(id: number): KeptBatch | undefined;
  remove(id: number): void;
  /** Makes the batches of buffers that are gone its own; whether there were any. */
  adopt(): boolean;
  /** Leaves what is left to the next buffer, and closes the file. */
  close(): void;
}

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = ON;
  CREATE TABLE IF NOT EXISTS kept_batches (id INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT);
  CREATE TABLE IF NOT EXISTS kept_messages (
    id INTEGER PRIMARY KEY,
    batch INTEGER NOT NULL REFERENCES kept_batches (id) ON DELETE CASCADE,
    content BLOB NOT NULL,
    metadata TEXT NOT NULL,
    failure TEXT
  );
  CREATE INDEX IF NOT EXISTS kept_messages_of_batches ON kept_messages (batch);
`;

/** Which run of a program it is: numbers of processes come back. */
const thisRun = /* @__PURE__ */ randomUUID();
/** The buffers of this process that are open. */
const open = /* @__PURE__ */ new Set<string>();

/** Opens the file, which is created where it does not exist, and makes the batches of buffers that are gone its own. */
export function openBatchFile(path: string): BatchFile {
  const database = attempt("The SQLite file of the buffer cannot be opened", () => {
    const opened = new DatabaseSync(machineFile(path), { timeout: busyTime });
    try {
      opened.exec(schema);
      return opened;
    } catch (error) {
      opened.close();
      throw error;
    }
  });
  const owner = `${process.pid}:${thisRun}:${randomUUID()}`;
  open.add(owner);
  const file = fileOf(database, owner);
  file.adopt();
  return file;
}

function fileOf(database: DatabaseSync, owner: string): BatchFile {
  const insertBatch = database.prepare("INSERT INTO kept_batches (owner) VALUES (?)");
  const insertMessage = database.prepare(
    "INSERT INTO kept_messages (batch, content, metadata, failure) VALUES (?, ?, ?, ?)",
  );
  const findNext = database.prepare(
    "SELECT id FROM kept_batches WHERE owner = ? AND id > ? ORDER BY id LIMIT 1",
  );
  const findMessages = database.prepare(
    "SELECT content, metadata, failure FROM kept_messages WHERE batch = ? ORDER BY id",
  );
  const removeBatch = database.prepare("DELETE FROM kept_batches WHERE id = ?");
  const findOwners = database.prepare("SELECT DISTINCT owner FROM kept_batches WHERE owner IS NOT NULL");
  const takeBatches = database.prepare("UPDATE kept_batches SET owner = ? WHERE owner IS ?");

  function addBatch(batch: Batch): void {
    const { lastInsertRowid } = insertBatch.run(owner);
    for (const message of batch) {
      const metadata = printJson(Object.fromEntries(message.metadata));
      insertMessage.run(lastInsertRowid, message.bytes(), metadata, message.failure?.message ?? null);
    }
  }

  return {
    add: (batches) =>
      attempt("The SQLite file of the buffer cannot be written", () =>
        inTransaction(database, () => batches.forEach(addBatch)),
      ),
    nextAfter: (after) =>
      attempt("The SQLite file of the buffer cannot be read", () => {
        const id = findNext.get(owner, after)?.id;
        if (id === undefined) return undefined;
        return { id: Number(id), batch: findMessages.all(id).map(messageOf) };
      }),
    remove: (id) => {
      attempt("The SQLite file of the buffer cannot be written", () => removeBatch.run(id));
    },
    adopt: () =>
      attempt("The SQLite file of the buffer cannot be written", () =>
        inTransaction(database, () => {
          const gone = findOwners
            .all()
            .flatMap((row) => (isAlive(String(row.owner)) ? [] : [row.owner ?? null]));
          return [null, ...gone].filter((former) => takeBatches.run(owner, former).changes > 0).length > 0;
        }),
      ),
    close: () => {
      open.delete(owner);
      attempt("The SQLite file of the buffer cannot be closed", () => {
        try {
          takeBatches.run(null, owner);
        } finally {
          database.close();
        }
      });
    },
  };
}

function messageOf(row: Readonly<Record<string, unknown>>): Message {
  const parsed = parseJsonText(String(row.metadata));
  const metadata = "value" in parsed ? parsed.value : {};
  const message = Message.fromBytes(
    row.content instanceof Uint8Array ? row.content : new Uint8Array(),
    new Map(isObject(metadata) ? Object.entries(metadata) : []),
  );
  return typeof row.failure === "string" ? message.withFailure(new GatewayError(500, row.failure)) : message;
}

/** Whether the buffer may still deliver what is its own. */
function isAlive(owner: string): boolean {
  const [pid, run] = owner.split(":");
  if (Number(pid) === process.pid) return run === thisRun && open.has(owner);
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    // The process is there, but belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function attempt<T>(failure: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    // SQLite's words: `database or disk is full`.
    const reason = error instanceof Error ? ` (${error.message})` : "";
    throw new GatewayError(503, failure + reason, { cause: error });
  }
}
