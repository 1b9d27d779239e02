// A store from its opening to its end; it tells those who keep records that these have changed, in this process or in another
// one on the same store.

import { Kysely, sql, type Transaction } from "kysely";
import { GatewayError } from "../errors.ts";
import type { Logger } from "../process/log.ts";
import type { StoreAddress } from "./address.ts";
import { storeFailure, unwritableReason } from "./failures.ts";
import { migrate, migrations, type Schema } from "./migrate.ts";
import { postgresDialect } from "./postgres.ts";
import { sqliteDialect } from "./sqlite.ts";
import type { ChangeTopic, Tables } from "./tables.ts";

/** Milliseconds between looks at what others have changed: what is kept is old for less than a second. */
const every = 400;

/** How often records of each topic have changed. */
type Revisions = ReadonlyMap<string, number>;

/** Those who want to know of changes, and what they know. */
class Changes {
  readonly #readRevisions: () => Promise<Revisions>;
  readonly #log: Pick<Logger, "info" | "warn">;
  readonly #listeners = new Map<() => void, ReadonlySet<string>>();
  /** Unknown before the first look, which counts as a change. */
  #known: Revisions | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #awaySince: number | undefined;

  /** The log says when the records cannot be read, and when they can again. */
  constructor(readRevisions: () => Promise<Revisions>, log: Pick<Logger, "info" | "warn">) {
    this.#readRevisions = readRevisions;
    this.#log = log;
  }

  /** When the first of the looks that failed began, by `performance.now`; `undefined` when the last one did not fail. */
  get awaySince(): number | undefined {
    return this.#awaySince;
  }

  /** Calls `listener` soon after each change of a topic, until the function it gives is called. It looks while there is one. */
  listen(topics: readonly ChangeTopic[], listener: () => void): () => void {
    this.#listeners.set(listener, new Set(topics));
    if (this.#timer === undefined) this.#wait();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stop();
    };
  }

  /** Tells of changes made here. */
  tell(topics: Iterable<string>): void {
    const changed = [...topics];
    for (const [listener, wanted] of this.#listeners) {
      if (changed.some((topic) => wanted.has(topic))) listener();
    }
  }

  /** Looks no more. */
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
      const revisions = await this.#readRevisions();
      this.#noteReturn();
      const known = this.#known ?? new Map();
      this.#known = revisions;
      const risen = [...revisions].filter(([topic, revision]) => known.get(topic) !== revision);
      this.tell(risen.map(([topic]) => topic));
    } catch (error) {
      if (this.#awaySince === undefined && !this.#isClosed) {
        this.#awaySince = begun;
        this.#log.warn("store is away", { error });
      }
    }
    // Unless it was stopped, or begun anew, meanwhile.
    if (this.#timer === timer) this.#wait();
  }

  /** What was changed while the store was away, or before it was restored, counts as changed now. */
  #noteReturn(): void {
    if (this.#awaySince === undefined) return;
    this.#awaySince = undefined;
    this.#known = undefined;
    this.#log.info("store answers again");
  }
}

/** Statements on the tables: single ones, or those of one transaction. */
export type StoreConnection = Kysely<Tables> | Transaction<Tables>;

/** Statements that happen together or not at all. */
export type Writing = Transaction<Tables>;

/** Milliseconds between attempts to write in a store that takes no writes. */
const probeEvery = 5_000;
/** Milliseconds that a server has to answer a statement, whose callers wait. */
const statementTime = 10_000;
/** The same while tables are brought up to date, perhaps by another gateway that is waited for. */
const migrationTime = 600_000;

/** Open tables of a database. */
export interface Database<T> {
  /**
   * Gives what `work` makes of statements that each stand by themselves. Rejects with what `work` rejects with, or a
   * `GatewayError` (503) when the database fails.
   */
  read<R>(work: (connection: Kysely<T> | Transaction<T>) => Promise<R>): Promise<R>;
  /** The same in one transaction: all of it happens, or nothing. */
  transact<R>(work: (connection: Transaction<T>) => Promise<R>): Promise<R>;
  /** Milliseconds since 1970, by a clock that all users of the database share. */
  time(): Promise<number>;
  /** Waits for statements under way, of a server for a moment only, and disconnects. */
  close(): Promise<void>;
}

/** An open store. */
export interface Store extends Database<Tables> {
  /** Whether it is a server, which can get out of reach. */
  readonly isRemote: boolean;
  /** Since when the store has not answered, by `performance.now`; `undefined` while it does. Known while something listens for changes. */
  readonly awaySince: number | undefined;
  /** Why the database takes no writes, such as a full disk; `undefined` while it does. */
  readonly unwritable: string | undefined;
  /** How often records of a topic have changed. */
  revision(topic: ChangeTopic): Promise<number>;
  /**
   * Calls `listener` after each change of a topic: at once where it was made here, within a second where another process
   * made it. Gives what ends that.
   */
  onChange(topics: readonly ChangeTopic[], listener: () => void): () => void;
}

/**
 * Opens a store and brings its tables up to date. Rejects with a `GatewayError` when the database cannot be reached, or
 * was made by a later version.
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
    log.error("store takes no writes", { reason });
    probing = setInterval(() => void tables.transact(probe).then(noteWritten, noteFailure), probeEvery);
    probing.unref();
  };
  const noteWritten = () => {
    clearInterval(probing);
    if (unwritable !== undefined) log.info("store takes writes again");
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
    async transact(work) {
      const { made, counted } = await noting(
        tables.transact(async (connection) => {
          const made = await work(connection);
          return { made, counted: countedIn.get(connection) ?? [] };
        }),
      );
      changes.tell(counted);
      return made;
    },
    get unwritable() {
      return unwritable;
    },
    get awaySince() {
      return changes.awaySince;
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

/** The same for tables of another program, which may be in the same database. Rejects as `openStore` does. */
export async function openTables<T>(
  address: StoreAddress,
  log: Logger,
  schema: Schema,
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
    await database.destroy().catch(() => undefined); // what could not be opened need not be closed
    const name = address.kind === "sqlite" ? ` \`${address.file}\`` : "";
    throw new GatewayError(503, `The store${name} cannot be used: ${reasonOf(error)}`, { cause: error });
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
    transact: (work) => guarded(() => database.transaction().execute(work)),
    // An embedded store is used on one machine.
    time: async () => (address.kind === "sqlite" ? Date.now() : guarded(() => readTime(database))),
    close: () => database.destroy(),
  };
}

/** Topics that were counted in a transaction. */
const countedIn = /* @__PURE__ */ new WeakMap<StoreConnection, Set<ChangeTopic>>();

/** Counts a change of a topic, in the transaction of the change. */
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

/** Writes what no one reads: other transactions may succeed because they change nothing. */
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

/** Errors of the drivers bear a code; those of a caller's own are passed on as they are. */
function isOfDatabase(error: unknown): boolean {
  return (
    error instanceof Error && !(error instanceof GatewayError) && ("errcode" in error || "code" in error)
  );
}

function reasonOf(error: unknown): string {
  // SQLITE_CANTOPEN says no more of the file.
  if (error instanceof Error && "errcode" in error && error.errcode === 14)
    return `${error.message}; its folder has to exist and to be writable`;
  return error instanceof Error ? error.message : String(error);
}
