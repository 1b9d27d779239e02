import { randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import type { Buffer, InputContext } from "../component/component.ts";
import { notConnected } from "../component/persistence.ts";
import { closeProcessors, runProcessors } from "../component/pipeline.ts";
import { createRedelivery } from "../component/redelivery.ts";
import { pause } from "../concurrency/backoff.ts";
import { Semaphore } from "../concurrency/semaphore.ts";
import { GatewayError, toGatewayError } from "../errors.ts";
import { describeFailure } from "../failures/description.ts";
import { createSourceFailures, type SourceFailures } from "../failures/source-failures.ts";
import { parseJsonText, printJson } from "../message/json.ts";
import { type Batch, Message } from "../message/message.ts";
import { isObject } from "../message/value.ts";
import { birthOf, machineFile } from "../process/machine-files.ts";
import { type SqliteBufferOptions, sqliteBufferDefaults } from "./generated/sqlite-buffer-options.ts";

/** The maximum number of concurrent deliveries. */
const inFlightLimit = 64;
/** Milliseconds before a failed read or write of the file is retried. */
const readAgainAfter = 1_000;

/** By path, the callbacks of this process's buffers on a file. They are called when one of these buffers closes. */
const neighbours = /* @__PURE__ */ new Map<string, Set<() => void>>();

/**
 * Keeps batches in a SQLite file until they are delivered. A batch is acknowledged when it is on the disk, and removed
 * when it is delivered. A batch whose delivery is interrupted by a crash is delivered again. Closing only waits for
 * deliveries in progress.
 */
export function sqliteBuffer(options: SqliteBufferOptions): Buffer {
  const { path, pre_processors: before, post_processors: after } = { ...sqliteBufferDefaults, ...options };
  const closing = new AbortController();
  let turns = new Semaphore(inFlightLimit);
  let file: BatchFile | undefined;
  let context: InputContext | undefined;
  let running: Promise<void> | undefined;
  let last = 0;
  let hasMore = true;
  let wake = (): void => {};
  let whenIdle: (() => void)[] = [];

  function readOn(): void {
    hasMore = true;
    wake();
  }

  /** Called when another buffer of this process has closed the file and may have left batches in it. */
  function adopt(): void {
    // The adopted batches may have lower numbers than the last batch that was read.
    if (file?.adopt() !== true) return;
    last = 0;
    readOn();
  }

  async function run(given: InputContext, from: BatchFile): Promise<void> {
    const underWay = new Set<number>();
    const reading = createSourceFailures("reading the buffer", given);
    const removing = createSourceFailures("removing delivered messages from the buffer", { log: given.log });
    while (!closing.signal.aborted) {
      const kept = readNext(reading, from, underWay);
      if (kept === "failed") await pause(readAgainAfter, closing.signal);
      else if (kept === undefined) await nothingMore(underWay);
      else {
        await turns.acquire(1);
        underWay.add(kept.id);
        void deliver(kept, given, () => remove(kept.id, removing, from)).then((isDone) => {
          underWay.delete(kept.id);
          turns.release(1);
          if (!isDone) readAgain(kept.id);
          else if (underWay.size === 0) wake();
        });
      }
    }
  }

  function readNext(
    failures: SourceFailures,
    from: BatchFile,
    underWay: ReadonlySet<number>,
  ): KeptBatch | "failed" | undefined {
    if (!hasMore) return undefined;
    try {
      for (;;) {
        const kept = from.nextAfter(last);
        failures.succeeded();
        hasMore = kept !== undefined;
        if (kept === undefined) return undefined;
        last = kept.id;
        if (!underWay.has(kept.id)) return kept;
      }
    } catch (error) {
      failures.failed(error);
      return "failed";
    }
  }

  async function nothingMore(underWay: ReadonlySet<number>): Promise<void> {
    if (underWay.size === 0) {
      for (const resolve of whenIdle) resolve();
      whenIdle = [];
    }
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }

  /** Resolves with whether the batch was delivered; if not, it stays in the file. */
  async function deliver(
    { batch }: KeptBatch,
    given: InputContext,
    onDelivered: () => Promise<void>,
  ): Promise<boolean> {
    try {
      for (const part of await runProcessors(after, [batch], given)) {
        const delivered = await createRedelivery(given).deliver(part, closing.signal);
        if (delivered === undefined) return false;
      }
    } catch (error) {
      const failure = describeFailure(toGatewayError(error, 500, "Internal error"));
      given.log.error("buffered messages were not delivered, they stay in the file", { ...failure, error });
      await pause(readAgainAfter, closing.signal);
      return false;
    }
    await onDelivered();
    return true;
  }

  /**
   * Removes a delivered batch, and retries until it succeeds: a full disk also prevents removal. Meanwhile the batch is
   * not delivered again, unless the process ends.
   */
  async function remove(id: number, failures: SourceFailures, from: BatchFile): Promise<void> {
    for (;;) {
      try {
        from.remove(id);
        return failures.succeeded();
      } catch (error) {
        failures.failed(error);
      }
      if (closing.signal.aborted) return;
      await pause(readAgainAfter, closing.signal);
    }
  }

  function readAgain(id: number): void {
    last = Math.min(last, id - 1);
    readOn();
  }

  function stop(): void {
    closing.abort();
    wake();
  }

  return {
    async open(given) {
      context = given;
      turns = new Semaphore(inFlightLimit, given.collectors);
      const opened = openBatchFile(path);
      file = opened;
      given.signal.addEventListener("abort", stop, { once: true });
      const sharing = neighbours.get(path) ?? new Set();
      neighbours.set(path, sharing.add(adopt));
      running = run(given, opened);
    },
    async write(batch) {
      if (file === undefined || context === undefined) throw notConnected();
      file.add(await runProcessors(before, [batch], context));
      readOn();
      return {};
    },
    idle: () =>
      new Promise((resolve) => {
        whenIdle.push(resolve);
        wake();
      }),
    async close() {
      stop();
      await running;
      await turns.idle();
      await closeProcessors([...before, ...after]);
      const sharing = neighbours.get(path);
      sharing?.delete(adopt);
      if (sharing?.size === 0) neighbours.delete(path);
      file?.close();
      file = undefined;
      for (const tell of sharing ?? []) tell();
    },
  };
}

/** Milliseconds that a statement waits while another process writes. */
const busyTime = 5_000;

/** A batch in the file. */
interface KeptBatch {
  readonly id: number;
  readonly batch: Batch;
}

/** The file as one buffer sees it. Every method throws a `GatewayError` if the database fails. */
interface BatchFile {
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
