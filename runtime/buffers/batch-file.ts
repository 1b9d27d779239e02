// Batches in a SQLite database until they are delivered. Each belongs to the buffer that wrote it. The next buffer that opens
// the file takes over the batches of processes that have ended.

import { randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { GatewayError } from "../errors.ts";
import { parseJsonText, printJson } from "../message/json.ts";
import { type Batch, Message } from "../message/message.ts";
import { isObject } from "../message/value.ts";
import { birthOf, machineFile } from "../process/machine-files.ts";

/** Milliseconds that a statement waits while another process writes. */
const busyTime = 5_000;

/** A batch in the file. */
export interface KeptBatch {
  readonly id: number;
  readonly batch: Batch;
}

/** The file as one buffer sees it. Every method throws a `GatewayError` if the database fails. */
export interface BatchFile {
  /** Writes batches. They are on the disk when the method returns. */
  add(batches: readonly Batch[]): void;
  /** Returns the first batch of this buffer after the batch with the given number. */
  nextAfter(id: number): KeptBatch | undefined;
  remove(id: number): void;
  /** Takes over the batches of buffers that no longer exist. Returns whether it found any. */
  adopt(): boolean;
  /** Leaves the remaining batches to the next buffer, and closes the file. */
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
    failure TEXT,
    attributes TEXT
  );
  CREATE INDEX IF NOT EXISTS kept_messages_of_batches ON kept_messages (batch);
`;

/**
 * Attributes of a message in addition to its content, its metadata and the text of its failure. The file has `null` if
 * a message has none.
 */
interface KeptAttributes {
  /** Like `Message.parameters`. */
  readonly parameters?: readonly string[];
  /** The status of its failure. */
  readonly status?: number;
  readonly retryable?: boolean;
}

/** Identifies this run of the program, because the system reuses process ids. */
const thisRun = /* @__PURE__ */ randomUUID();

/** The open buffers of this process. */
const open = /* @__PURE__ */ new Set<string>();

/** Opens the file, or creates it if it does not exist, and takes over the batches of buffers that no longer exist. */
export function openBatchFile(path: string): BatchFile {
  const database = attempt("The SQLite file of the buffer cannot be opened", () => {
    const opened = new DatabaseSync(machineFile(path), { timeout: busyTime });
    try {
      opened.exec(schema);
      addAttributes(opened);
      return opened;
    } catch (error) {
      opened.close();
      throw error;
    }
  });
  const owner = `${process.pid}:${thisRun}:${randomUUID()}:${birthOf(process.pid)}`;
  open.add(owner);
  const file = fileOf(database, owner);
  file.adopt();
  return file;
}

/** Adds the column that files of version 0.1 lack. That version ignores the column. */
function addAttributes(database: DatabaseSync): void {
  const hasAttributes = () =>
    database.prepare("SELECT 1 FROM pragma_table_info('kept_messages') WHERE name = 'attributes'").get() !==
    undefined;
  if (hasAttributes()) return;
  // Another process may open the file at the same time.
  inTransaction(database, () => {
    if (!hasAttributes()) database.exec("ALTER TABLE kept_messages ADD COLUMN attributes TEXT");
  });
}

function fileOf(database: DatabaseSync, owner: string): BatchFile {
  const insertBatch = database.prepare("INSERT INTO kept_batches (owner) VALUES (?)");
  const insertMessage = database.prepare(
    "INSERT INTO kept_messages (batch, content, metadata, failure, attributes) VALUES (?, ?, ?, ?, ?)",
  );
  const findNext = database.prepare(
    "SELECT id FROM kept_batches WHERE owner = ? AND id > ? ORDER BY id LIMIT 1",
  );
  const findMessages = database.prepare(
    "SELECT content, metadata, failure, attributes FROM kept_messages WHERE batch = ? ORDER BY id",
  );
  const removeBatch = database.prepare("DELETE FROM kept_batches WHERE id = ?");
  const findOwners = database.prepare("SELECT DISTINCT owner FROM kept_batches WHERE owner IS NOT NULL");
  const takeBatches = database.prepare("UPDATE kept_batches SET owner = ? WHERE owner IS ?");

  function addBatch(batch: Batch): void {
    const { lastInsertRowid } = insertBatch.run(owner);
    for (const message of batch) {
      const metadata = printJson(Object.fromEntries(message.metadata));
      const { failure } = message;
      const attributes = attributesOf(message);
      insertMessage.run(lastInsertRowid, message.bytes(), metadata, failure?.message ?? null, attributes);
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

function attributesOf({ parameters, failure }: Message): string | null {
  if (failure === undefined && (parameters === undefined || parameters.size === 0)) return null;
  const attributes: KeptAttributes = {
    ...(parameters && { parameters: [...parameters] }),
    ...(failure && { status: failure.status, retryable: failure.retryable }),
  };
  return JSON.stringify(attributes);
}

function messageOf(row: Readonly<Record<string, unknown>>): Message {
  const { content, failure } = row;
  const parsed = parseJsonText(String(row.metadata));
  const metadata = "value" in parsed ? parsed.value : {};
  const { parameters, status, retryable }: KeptAttributes = JSON.parse(String(row.attributes)) ?? {};
  const message = Message.fromBytes(
    content instanceof Uint8Array ? content : new Uint8Array(),
    new Map(isObject(metadata) ? Object.entries(metadata) : []),
    undefined,
    parameters && new Set(parameters),
  );
  if (typeof failure !== "string") return message;
  return message.withFailure(
    new GatewayError(status ?? 500, failure, { ...(retryable !== undefined && { retryable }) }),
  );
}

/** Whether the buffer `owner` may still deliver its batches. */
function isAlive(owner: string): boolean {
  const [pid, run, , birth] = owner.split(":");
  if (Number(pid) === process.pid) return run === thisRun && open.has(owner);
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    // EPERM: the process exists, but belongs to another user.
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return false;
  }
  // Another process may have the same id by now.
  const now = birthOf(Number(pid));
  return now === "" || birth === undefined || birth === "" || now === birth;
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
    // The message of SQLite, such as `database or disk is full`.
    const reason = error instanceof Error ? ` (${error.message})` : "";
    throw new GatewayError(503, failure + reason, { cause: error });
  }
}
