// PostgreSQL.

import pg from "pg";
import Cursor from "pg-cursor";
import type { ComponentContext } from "../../component/component.ts";
import { settlesWithin } from "../../concurrency/promises.ts";
import { GatewayError } from "../../errors.ts";
import { parseJsonText } from "../../message/json.ts";
import type { ObjectValue, Value } from "../../message/value.ts";
import { readMachineText } from "../../process/machine-files.ts";
import { percentDecode } from "../../text/percent.ts";
import { decodeUtf8 } from "../../text/utf8.ts";
import { parameterOf } from "./arguments.ts";
import { refused, type SqlAddress, type SqlDatabase, type SqlSession } from "./database.ts";

/** Largest number of connections, if the document sets none. */
const usualConnections = 10;
/** Milliseconds to open a connection. */
const connectTime = 5_000;
/** Milliseconds without data after which the system probes the server. */
const keepAliveTime = 15_000;
/** Milliseconds for statements in progress at the close. */
const lastTime = 1_500;
/** The user of an address that names none. */
const usualUser = "postgres";
const usualPort = 5432;
/** Number of rows of a cursor that are fetched at a time. */
const pageSize = 100;

/** Connects with the first connection of a pool; the pool opens further ones as statements need them. */
export async function openPostgres(address: SqlAddress, { log }: ComponentContext): Promise<SqlDatabase> {
  const { dsn, conn_max_open = 0, conn_max_idle_time = 0, conn_max_life_time = 0 } = address;
  const pool = new pg.Pool({
    ...connectionOf(dsn),
    max: conn_max_open || usualConnections,
    idleTimeoutMillis: conn_max_idle_time,
    maxLifetimeSeconds: Math.ceil(conn_max_life_time / 1000),
    connectionTimeoutMillis: connectTime,
    // Statements have no timeout; keepalive ends those whose server has vanished.
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveTime,
    // Values stay texts as sent by the server, until `columnValue` converts them by the type of their column.
    types: { getTypeParser: () => (text: unknown) => text },
  });
  // Idle connections may break: without a listener, the error would end the process.
  pool.on("error", (error) => log.warn("a connection to PostgreSQL broke", { reason: error.message }));
  pool.on("connect", (client) => {
    client.on("error", (error) => log.debug("a connection to PostgreSQL broke", { reason: error.message }));
  });
  const database = databaseOf(pool);
  try {
    await database.query("SELECT 1", []);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

function databaseOf(pool: pg.Pool): SqlDatabase {
  const connect = () => pool.connect().catch(fail);
  return {
    query: (statement, args) => run(pool, statement, args),
    async *rows(statement, args) {
      const client = await connect();
      const cursor = client.query(new Cursor<Record<string, unknown>>(statement, args.map(parameterOf)));
      let isBroken = false;
      // A cursor whose connection ends between two requests never answers.
      const lost = Promise.withResolvers<never>();
      lost.promise.catch(() => undefined); // reported to the reader of a page
      const onEnd = () => lost.reject(new Error("the connection has ended"));
      client.once("end", onEnd);
      try {
        for (;;) {
          const { rows, fields } = await Promise.race([readPage(cursor), lost.promise]);
          if (rows.length === 0) return;
          for (const row of rows) yield objectOf(row, fields);
        }
      } catch (error) {
        isBroken = !(error instanceof pg.DatabaseError);
        fail(error);
      } finally {
        if (!isBroken) await cursor.close().catch(() => undefined); // a broken connection is closed as a whole
        client.off("end", onEnd);
        client.release(isBroken);
      }
    },
    async transaction(work) {
      const client = await connect();
      const session: SqlSession = { query: (statement, args) => run(client, statement, args) };
      try {
        await session.query("BEGIN", []);
        const result = await work(session);
        await session.query("COMMIT", []);
        client.release();
        return result;
      } catch (error) {
        const isUndone = await session.query("ROLLBACK", []).then(
          () => true,
          () => false,
        );
        client.release(!isUndone);
        throw error;
      }
    },
    async script(text) {
      await pool.query(text).catch(fail);
    },
    placeholder: (number) => `$${number}`,
    async close() {
      if (!pool.ending) await settlesWithin(pool.end(), lastTime);
    },
  };
}

async function run(
  client: pg.Pool | pg.PoolClient,
  text: string,
  args: readonly Value[],
): Promise<readonly ObjectValue[]> {
  const values = args.map(parameterOf);
  try {
    // The extended protocol accepts only one statement, whatever the text contains.
    const query = { text, values, queryMode: "extended" as const };
    const { rows, fields } = await client.query<Record<string, unknown>>(query);
    return rows.map((row) => objectOf(row, fields));
  } catch (error) {
    return fail(error);
  }
}

interface Page {
  readonly rows: readonly Record<string, unknown>[];
  readonly fields: readonly pg.FieldDef[];
}

function readPage(cursor: Cursor<Record<string, unknown>>): Promise<Page> {
  return new Promise((resolve, reject) => {
    cursor.read(pageSize, (error, rows, result) => {
      if (error) reject(error);
      else resolve({ rows, fields: result?.fields ?? [] });
    });
  });
}

function objectOf(row: Readonly<Record<string, unknown>>, fields: readonly pg.FieldDef[]): ObjectValue {
  return Object.fromEntries(
    fields.map(({ name, dataTypeID }) => {
      const text = row[name];
      return [name, typeof text === "string" ? columnValue(text, dataTypeID) : null];
    }),
  );
}

/** Parameters of an address that are options of the client. Certificates and addresses have their own meaning. */
const clientParameters = [
  "application_name",
  "client_encoding",
  "fallback_application_name",
  "idle_in_transaction_session_timeout",
  "lock_timeout",
  "options",
  "query_timeout",
  "replication",
  "statement_timeout",
] as const;

/**
 * A client that takes its settings from the address alone. `pg` replaces settings that are absent by variables of the
 * process (`PGOPTIONS`, …) that are not meant for the server of a document.
 */
class AddressClient extends pg.Client {
  constructor(config: pg.ClientConfig & { readonly replication?: string } = {}) {
    super(config);
    const { options, replication } = config;
    Object.assign(Reflect.get(this, "connectionParameters") as object, { options, replication });
  }
}

/**
 * Returns the client options of an address.
 * As in the reference engine's client, the connection is encrypted by default. Unlike there, nothing comes from the
 * environment of the process or from `~/.pgpass`, as the server may not be one of the operator.
 */
function connectionOf(dsn: string): pg.PoolConfig {
  const url = URL.parse(dsn);
  if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol)) {
    throw new GatewayError(500, "`dsn` is not the address of a PostgreSQL server");
  }
  const { searchParams } = url;
  const parameter = (name: string) => searchParams.getAll(name).at(-1) || undefined;
  const user = parameter("user") ?? (percentDecode(url.username) || usualUser);
  const password = parameter("password") ?? percentDecode(url.password);
  const host = percentDecode(url.hostname.replace(/^\[|\]$/g, ""));
  const options = clientParameters.flatMap((name) => {
    const value = parameter(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    application_name: "sluice",
    client_encoding: "utf8",
    ...Object.fromEntries(options),
    Client: AddressClient,
    user,
    // A function, as `pg` would replace an empty text.
    password: () => password,
    host: parameter("host") ?? (host || "localhost"),
    port: Number(parameter("port") ?? (url.port || usualPort)),
    database: percentDecode(url.pathname.slice(1)) || user,
    ssl: encryptionOf(parameter),
    sslnegotiation: "postgres",
  };
}

/** Returns the TLS options of an address. */
function encryptionOf(parameter: (name: string) => string | undefined): pg.PoolConfig["ssl"] {
  const mode = parameter("sslmode") ?? "require";
  if (mode === "disable") return false;
  const [ca, cert, key] = ["sslrootcert", "sslcert", "sslkey"].map((name) => {
    const path = parameter(name);
    return path === undefined ? undefined : readMachineText(path);
  });
  return {
    rejectUnauthorized: mode.startsWith("verify"),
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
}

/** SQLSTATE classes of data errors: a value does not fit its column (22), or violates a constraint (23). */
const dataClasses = new Set(["22", "23"]);

function fail(error: unknown): never {
  if (error instanceof GatewayError) throw error;
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? "XX000";
    throw refused(code, error, dataClasses.has(code.slice(0, 2)));
  }
  throw new GatewayError(502, "PostgreSQL unreachable", { cause: error, retryable: true });
}

/** Types by their OID in `pg_type`. */
const bool = 16;
const bytea = 17;
const integers = new Set([20, 21, 23]);
const floats = new Set([700, 701]);
const date = 1082;
const time = 1083;
const timestamps = new Set([1114, 1184]);

/**
 * Converts the text of a column: integers keep all digits, numerics and JSON stay text, times become RFC 3339, and
 * bytes are decoded as UTF-8 text.
 */
function columnValue(text: string, type: number): Value {
  if (integers.has(type) || floats.has(type)) return numberOf(text);
  if (type === bool) return text === "t";
  if (type === bytea) return decodeUtf8(Buffer.from(text.slice(2), "hex"));
  if (type === date) return /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text;
  if (type === time) return `0000-01-01T${text}Z`;
  return timestamps.has(type) ? timeOf(text) : text;
}

/** Returns a JSON number; `Infinity` and `NaN` are none, and stay texts. */
function numberOf(text: string): Value {
  const parsed = parseJsonText(text);
  return "value" in parsed ? parsed.value : text;
}

/** Converts `2024-01-02 03:04:05.6+02` to RFC 3339; `infinity` and years before 1 stay unchanged. */
function timeOf(text: string): string {
  const [, day, clock, sign, hours, minutes = "00"] =
    /^(\d{4}-\d\d-\d\d) ([\d:.]+)(?:([+-])(\d\d)(?::(\d\d))?)?$/.exec(text) ?? [];
  if (day === undefined || clock === undefined) return text;
  const isUtc = sign === undefined || (hours === "00" && minutes === "00");
  return `${day}T${clock}${isUtc ? "Z" : `${sign}${hours}:${minutes}`}`;
}
