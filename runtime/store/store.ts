// Opens and closes a store. Notifies components that cache records when these change, in this process or in another one
// that uses the same store.

import { Kysely, sql, type Transaction } from "kysely";
import { settlesWithin } from "../concurrency/promises.ts";
import { GatewayError } from "../errors.ts";
import type { Logger } from "../process/log.ts";
import type { StoreAddress } from "./address.ts";
import { isConflict, openingReason, storeFailure, unwritableReason } from "./failures.ts";
import { migrate, migrations, type StoreSchema } from "./migrate.ts";
import { postgresDialect } from "./postgres.ts";
import { sqliteDialect } from "./sqlite.ts";
import type { ChangeTopic, Tables } from "./tables.ts";

/** Milliseconds between two polls for changes by other processes, so that cached records are less than a second old. */
const every = 400;
/**
 * Milliseconds that a poll gets before a second one starts, and that the two then get together. A store that hangs
 * counts as unreachable long before its statements time out; one slow poll does not make it count as unreachable.
 */
const pollTime = 2500;

/** The number of changes per topic. */
type Revisions = ReadonlyMap<string, number>;

/** The listeners for changes, and the last known revisions. */
class Changes {
  readonly #readRevisions: () => Promise<Revisions>;
  readonly #log: Pick<Logger, "info" | "warn">;
  readonly #listeners = new Map<() => void, ReadonlySet<string>>();
  /** `undefined` before the first poll, which counts as a change. */
  #known: Revisions | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #unreachableSince: number | undefined;

  /** Logs when the revisions cannot be read, and when they can be read again. */
  constructor(readRevisions: () => Promise<Revisions>, log: Pick<Logger, "info" | "warn">) {
    this.#readRevisions = readRevisions;
    this.#log = log;
  }

  /** The start, by `performance.now`, of the first failed poll; `undefined` if the last poll succeeded. */
  get unreachableSince(): number | undefined {
    return this.#unreachableSince;
  }

  /**
   * Calls `listener` after each change of a topic. Returns a function that removes it. Polls while there are listeners.
   */
  listen(topics: readonly ChangeTopic[], listener: () => void): () => void {
    this.#listeners.set(listener, new Set(topics));
    if (this.#timer === undefined) this.#wait();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stop();
    };
  }

  /** Calls the listeners for changes of topics. */
  notify(topics: Iterable<string>): void {
    const changed = [...topics];
    for (const [listener, wanted] of this.#listeners) {
      if (changed.some((topic) => wanted.has(topic))) listener();
    }
  }

  /** Stops polling. */
  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #wait(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#look(), every);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const timer = this.#timer;
    const begun = performance.now();
    try {
      const revisions = await this.#poll(begun);
      this.#noteReturn();
      const known = this.#known ?? new Map();
      this.#known = revisions;
      const risen = [...revisions].filter(([topic, revision]) => known.get(topic) !== revision);
      this.notify(risen.map(([topic]) => topic));
    } catch (error) {
      this.#noteOutage(begun, error);
    }
    // Unless polling was stopped or restarted in the meantime.
    if (this.#timer === timer) this.#wait();
  }

  /** Reads the revisions, a second time if the first attempt is slow: its connection may be the fault. */
  async #poll(begun: number): Promise<Revisions> {
    const first = this.#readRevisions();
    if (this.#unreachableSince !== undefined || (await settlesWithin(first, pollTime))) return first;
    const second = this.#readRevisions();
    const either = Promise.any([first, second]);
    if (!(await settlesWithin(either, pollTime))) {
      this.#noteOutage(begun, new Error(`two polls for changes got no response within ${pollTime} ms`));
    }
    return either.catch(() => second); // with the error of one attempt
  }

  /** Notes that the store does not respond since `begun`. */
  #noteOutage(begun: number, error: unknown): void {
    if (this.#unreachableSince !== undefined || this.#isClosed) return;
    this.#unreachableSince = begun;
    this.#log.warn("store unreachable", { error });
  }

  /** Notes that the store responds again. All topics count as changed, because changes in the meantime are unknown. */
  #noteReturn(): void {
    if (this.#unreachableSince === undefined) return;
    this.#unreachableSince = undefined;
    this.#known = undefined;
    this.#log.info("store reachable again");
  }
}

/** A connection for single statements, or for those of a transaction. */
export type StoreConnection = Kysely<Tables> | Transaction<Tables>;

/** A transaction. */
export type StoreTransaction = Transaction<Tables>;

/** Milliseconds between two attempts to write when a store accepts no writes. */
const probeEvery = 5_000;
/** The timeout of a statement at a server, in milliseconds. */
const statementTime = 10_000;
/** The timeout of a statement during migrations, which may wait for those of another gateway. */
const migrationTime = 600_000;

/** The maximum number of attempts of a transaction that conflicts with others. */
const mostAttempts = 20;

/** A database with open tables. */
export interface Database<T> {
  /**
   * Returns the result of `work`, whose statements run without a transaction. Rejects with the error of `work`, or with
   * a `GatewayError` (503) if the database fails.
   */
  read<R>(work: (connection: Kysely<T> | Transaction<T>) => Promise<R>): Promise<R>;
  /**
   * Like `read`, in a transaction: all statements take effect, or none. With `isSnapshot`, all statements see the state
   * at the first one, and the transaction starts again if another one has changed a row that it writes.
   */
  transact<R>(work: (connection: Transaction<T>) => Promise<R>, isSnapshot?: boolean): Promise<R>;
  /** Returns milliseconds since 1970, by a clock that all users of the database share. */
  time(): Promise<number>;
  /** Disconnects. Waits for running statements, in the case of a server only for a moment. */
  close(): Promise<void>;
}

/** An open store. */
export interface Store extends Database<Tables> {
  /** Whether the store is a server, which can become unreachable. */
  readonly isRemote: boolean;
  /**
   * The time, by `performance.now`, since which the store has not responded; `undefined` if it responds. Known only
   * while there are listeners for changes.
   */
  readonly unreachableSince: number | undefined;
  /** The reason why the database accepts no writes, such as a full disk; `undefined` if it does. */
  readonly unwritable: string | undefined;
  /** Returns the number of changes of a topic. */
  revision(topic: ChangeTopic): Promise<number>;
  /**
   * Calls `listener` after each change of a topic: immediately if this process made it, within a second if another
   * process did. Returns a function that removes the listener.
   */
  onChange(topics: readonly ChangeTopic[], listener: () => void): () => void;
}

/**
 * Opens a store and migrates its tables. Rejects with a `GatewayError` if the database cannot be reached, or if its
 * tables are from a later version.
 */
export async function openStore(address: StoreAddress, log: Logger): Promise<Store> {
  const tables = await openTables<Tables>(address, log, { migrations, notedIn: "migrations" });
  const changes = new Changes(() => tables.read(readRevisions), log);
  let unwritable: string | undefined;
  let probing: NodeJS.Timeout | undefined;
  const noteFailure = (error: unknown) => {
    const reason = unwritableReason(error instanceof GatewayError ? error.cause : error);
    if (reason === undefined || unwritable !== undefined) return;
    unwritable = reason;
    log.error("store accepts no writes", { reason });
    probing = setInterval(() => void tables.transact(probe).then(noteWritten, noteFailure), probeEvery);
    probing.unref();
  };
  const noteWritten = () => {
    clearInterval(probing);
    if (unwritable !== undefined) log.info("store accepts writes again");
    unwritable = undefined;
  };
  const noting = async <R>(work: Promise<R>): Promise<R> => {
    try {
      return await work;
    } catch (error) {
      noteFailure(error);
      throw error;
    }
  };
  return {
    ...tables,
    isRemote: address.kind === "postgres",
    read: (work) => noting(tables.read(work)),
    async transact(work, isSnapshot) {
      const { made, counted } = await noting(
        tables.transact(async (connection) => {
          const made = await work(connection);
          return { made, counted: countedIn.get(connection) ?? [] };
        }, isSnapshot),
      );
      changes.notify(counted);
      return made;
    },
    get unwritable() {
      return unwritable;
    },
    get unreachableSince() {
      return changes.unreachableSince;
    },
    revision: async (topic) => (await tables.read(readRevisions)).get(topic) ?? 0,
    onChange: (topics, listener) => changes.listen(topics, listener),
    async close() {
      clearInterval(probing);
      changes.close();
      await tables.close();
    },
  };
}

/** Opens the tables of another program, which may be in the same database. Rejects as `openStore` does. */
export async function openTables<T>(
  address: StoreAddress,
  log: Logger,
  schema: StoreSchema,
): Promise<Database<T>> {
  const connect = (answerTime: number) =>
    new Kysely<T>({
      dialect:
        address.kind === "sqlite"
          ? sqliteDialect(address.file)
          : postgresDialect(address.url, log, answerTime),
    });
  let database = connect(migrationTime);
  try {
    const names = await migrate(database, address.kind, schema);
    if (names.length > 0) log.info("store tables migrated", { by: names });
  } catch (error) {
    await database.destroy().catch(() => undefined); // the database may never have been opened
    const name = address.kind === "sqlite" ? ` \`${address.file}\`` : "";
    throw new GatewayError(503, `The store${name} cannot be used: ${openingReason(error)}`, { cause: error });
  }
  if (address.kind === "postgres") {
    await database.destroy();
    database = connect(statementTime);
  }
  const guarded = async <R>(work: () => Promise<R>): Promise<R> => {
    try {
      return await work();
    } catch (error) {
      throw isOfDatabase(error) ? storeFailure(error) : error;
    }
  };
  return {
    read: (work) => guarded(() => work(database)),
    async transact(work, isSnapshot = false) {
      if (!isSnapshot) return guarded(() => database.transaction().execute(work));
      const snapshot = database.transaction().setIsolationLevel("repeatable read");
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await guarded(() => snapshot.execute(work));
        } catch (error) {
          if (attempt === mostAttempts || !(error instanceof GatewayError) || !isConflict(error.cause))
            throw error;
        }
      }
    },
    // An embedded store is used by one machine only.
    time: async () => (address.kind === "sqlite" ? Date.now() : guarded(() => readTime(database))),
    close: () => database.destroy(),
  };
}

/** The topics with changes, per transaction. */
const countedIn = /* @__PURE__ */ new WeakMap<StoreConnection, Set<ChangeTopic>>();

/** Records a change of a topic, in the transaction of the change. */
export async function countChange(connection: Transaction<Tables>, topic: ChangeTopic): Promise<void> {
  countedIn.set(connection, (countedIn.get(connection) ?? new Set()).add(topic));
  await connection
    .insertInto("revisions")
    .values({ topic, revision: 1 })
    .onConflict((conflict) =>
      conflict.column("topic").doUpdateSet(({ eb }) => ({ revision: eb("revisions.revision", "+", 1) })),
    )
    .execute();
}

/**
 * Waits until other transactions that change a topic end, and lets those that follow wait for this one. What is read
 * next is their result.
 */
export async function lockTopic(connection: Transaction<Tables>, topic: ChangeTopic): Promise<void> {
  await connection
    .insertInto("revisions")
    .values({ topic, revision: 0 })
    .onConflict((conflict) =>
      conflict.column("topic").doUpdateSet(({ ref }) => ({ revision: ref("revisions.revision") })),
    )
    .execute();
}

/** Writes a row that is never read. Other transactions might succeed only because they write nothing. */
async function probe(connection: Transaction<Tables>): Promise<void> {
  await sql`insert into revisions (topic, revision) values ('probe', 1)
    on conflict (topic) do update set revision = 1`.execute(connection);
}

async function readRevisions(connection: StoreConnection): Promise<Revisions> {
  const rows = await connection.selectFrom("revisions").selectAll().execute();
  return new Map(rows.map(({ topic, revision }) => [topic, revision]));
}

async function readTime<T>(database: Kysely<T>): Promise<number> {
  const time = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
  const { rows } = await sql<{ readonly now: number }>`select ${time} as now`.execute(database);
  const [row] = rows;
  if (row === undefined) throw new TypeError("a select without tables gives one row");
  return row.now;
}

/** Whether an error is from a driver, which sets a code. Errors of callers are passed on unchanged. */
function isOfDatabase(error: unknown): boolean {
  return (
    error instanceof Error && !(error instanceof GatewayError) && ("errcode" in error || "code" in error)
  );
}
