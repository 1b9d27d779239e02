// SQLite, with Node's own module. Statements run in the main thread: long ones block the whole gateway.

import { constants, DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { GatewayError } from "../../errors.ts";
import { type ObjectValue, type Value, WholeFloat } from "../../message/value.ts";
import { machineFile } from "../../process/machine-files.ts";
import { decodeUtf8 } from "../../text/utf8.ts";
import { parameterOf } from "./arguments.ts";
import { refused, type SqlAddress, type SqlDatabase, type SqlSession } from "./database.ts";

/** Milliseconds that a statement waits for another process that writes. */
const busyTime = 5_000;

/** Opens the file; creates it if it does not exist. */
export async function openSqlite({ dsn }: SqlAddress): Promise<SqlDatabase> {
  const { path, readOnly, pragmas } = readAddress(dsn);
  let file: DatabaseSync;
  try {
    file = new DatabaseSync(machineFile(path), { readOnly, timeout: busyTime });
    for (const pragma of pragmas) file.exec(`PRAGMA ${pragma}`);
  } catch (error) {
    const reason = error instanceof Error ? ` (${error.message})` : "";
    throw new GatewayError(502, `The SQLite database cannot be opened${reason}`, { cause: error });
  }
  return databaseOf(file);
}

function databaseOf(file: DatabaseSync): SqlDatabase {
  /** Orders statements and transactions: there is only one connection. */
  let last: Promise<unknown> = Promise.resolve();
  const session: SqlSession = { query: async (statement, args) => [...iterate(file, statement, args)] };
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => undefined); // the failure is reported to the caller
    return result;
  };
  return {
    query: (statement, args) => inTurn(() => session.query(statement, args)),
    async *rows(statement, args) {
      yield* iterate(file, statement, args);
    },
    transaction: (work) =>
      inTurn(async () => {
        execute(file, "BEGIN IMMEDIATE");
        try {
          const result = await work(session);
          execute(file, "COMMIT");
          return result;
        } catch (error) {
          if (file.isTransaction) execute(file, "ROLLBACK");
          throw error;
        }
      }),
    script: async (text) => execute(file, text),
    placeholder: () => "?",
    async close() {
      await last;
      if (file.isOpen) file.close();
    },
  };
}

/** Words without which no statement opens a further file. */
const opening = /\b(?:attach|vacuum)\b/i;

/**
 * Denies the connection to open further files once a statement may do so: which files a stream may use follows from its
 * `dsn`. Before, the authorizer would cost each statement a call for each column.
 */
function guard(file: DatabaseSync, text: string): void {
  if (!opening.test(text)) return;
  file.setAuthorizer((action, path) =>
    action === constants.SQLITE_ATTACH && path !== "" && path !== ":memory:"
      ? constants.SQLITE_DENY
      : constants.SQLITE_OK,
  );
}

function execute(file: DatabaseSync, text: string): void {
  try {
    guard(file, text);
    file.exec(text);
  } catch (error) {
    fail(error);
  }
}

function* iterate(file: DatabaseSync, text: string, args: readonly Value[]): Generator<ObjectValue> {
  const values = args.map((value, index) => inputOf(parameterOf(value, index)));
  try {
    guard(file, text);
    const statement = file.prepare(text);
    statement.setReadBigInts(true);
    statement.setReturnArrays(true);
    const columns = statement.columns();
    // SQLite treats numbered parameters such as `$1` as named ones.
    const named = Object.fromEntries(values.map((value, index) => [`$${index + 1}`, value]));
    const rows = /\$\d/.test(text) ? statement.iterate(named) : statement.iterate(...values);
    for (const row of rows as Iterable<readonly unknown[]>) yield rowOf(row, columns);
  } catch (error) {
    fail(error);
  }
}

function inputOf(value: ReturnType<typeof parameterOf>): SQLInputValue {
  return typeof value === "boolean" ? Number(value) : value;
}

type Columns = ReturnType<StatementSync["columns"]>;

function rowOf(row: readonly unknown[], columns: Columns): ObjectValue {
  return Object.fromEntries(columns.map(({ name, type }, index) => [name, columnValue(row[index], type)]));
}

function columnValue(value: unknown, type: string | null): Value {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value === "number") return Number.isInteger(value) ? new WholeFloat(value) : value;
  if (value instanceof Uint8Array) return decodeUtf8(value);
  if (typeof value !== "string") return null;
  return isTime(type) ? timeOf(value) : value;
}

function isTime(type: string | null): boolean {
  return /^(?:date|datetime|timestamp)$/i.test(type ?? "");
}

/** Converts texts in time columns to RFC 3339, if they are valid times. */
function timeOf(text: string): string {
  const [, day, clock = "00:00:00", zone = "Z"] =
    /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text) ?? [];
  if (day === undefined) return text;
  return `${day}T${clock.length === 5 ? `${clock}:00` : clock}${zone === "+00:00" ? "Z" : zone}`;
}

interface FileAddress {
  readonly path: string;
  readonly readOnly: boolean;
  readonly pragmas: readonly string[];
}

/** Parses `file:PATH?mode=ro&_pragma=foreign_keys(1)`, or only a path. */
function readAddress(dsn: string): FileAddress {
  const [path = "", query = ""] = dsn.replace(/^file:(?:\/\/(?=\/))?/, "").split("?", 2);
  const parameters = new URLSearchParams(query);
  const pragmas: string[] = [];
  for (const [name, value] of parameters) {
    const [, pragma, setting] = /^(\w+)\(([\w.-]+)\)$/.exec(value) ?? [];
    if (name === "_pragma" && pragma !== undefined) pragmas.push(`${pragma} = ${setting}`);
    else if (!(name === "mode" && /^(?:ro|rw|rwc)$/.test(value))) {
      throw new GatewayError(500, `\`dsn\` has a parameter that SQLite does not know: \`${name}\``);
    }
  }
  return { path, readOnly: parameters.get("mode") === "ro", pragmas };
}

/** SQLite error codes that retries do not change: too big, constraint, mismatch, not authorized. */
const dataCodes = new Set([18, 19, 20, 23]);

function fail(error: unknown): never {
  if (error instanceof GatewayError || !(error instanceof Error)) throw error;
  const code = "errcode" in error ? Number(error.errcode) : 1;
  throw refused(String(code), error, dataCodes.has(code & 0xff));
}
