import { type Probing, probeContext } from "../../probe/probe.ts";
import { probeAddresses } from "../../probe/probe-address.ts";
import { causesOf, ProbeFailure } from "../../probe/probe-failures.ts";
import type { OpenDatabase, SqlAddress, SqlDatabase } from "./database.ts";
import { openPostgres } from "./postgres.ts";
import { openSqlite } from "./sqlite.ts";

/** The options of SQL components that the probe reads. */
export interface SqlProbeOptions extends SqlAddress {
  readonly driver: string;
  readonly table?: string;
}

/**
 * Logs in, and queries the table for zero rows. Does not run `init_statement` and `init_files`, and creates no file.
 */
export async function probeSql(options: SqlProbeOptions, probing: Probing): Promise<void> {
  if (probing.isComputed(options, "dsn", "table")) return;
  const { driver, dsn, table } = options;
  if (driver === "postgres") {
    const url = URL.parse(dsn);
    if (url === null)
      throw new ProbeFailure("settings", "the address cannot be read", { advice: "Correct `dsn`" });
    const address = { host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port || 5432) };
    if (!(await probeAddresses([address], probing))) return;
  }
  const open: OpenDatabase = driver === "postgres" ? openPostgres : openReadOnly;
  const database = await probing.open("login", () => explained(open(options, probeContext())), close);
  if (table === undefined) return probing.skip("right to run the statement", "it would have side effects");
  await probing.check(`right to read ${table}`, () =>
    explained(database.query(`SELECT 1 FROM ${table} LIMIT 0`, [])),
  );
  if (probing.role === "output")
    probing.skip("right to write", "PostgreSQL reports it only when something is written");
}

const openReadOnly: OpenDatabase = (address) => {
  const separator = address.dsn.includes("?") ? "&" : "?";
  const isInMemory = address.dsn.includes(":memory:");
  return openSqlite(isInMemory ? address : { ...address, dsn: `${address.dsn}${separator}mode=ro` });
};

function close(database: SqlDatabase): Promise<void> {
  return database.close();
}

/** Explains the error codes of PostgreSQL (appendix A of its manual). */
async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const codes = causesOf(error).map((cause) => ("code" in cause ? String(cause.code) : ""));
    const has = (...prefixes: readonly string[]) =>
      codes.some((code) => prefixes.some((each) => code.startsWith(each)));
    if (has("28")) {
      throw new ProbeFailure("authentication", "the user or the password is wrong", {
        advice: "Correct `dsn`",
      });
    }
    if (has("3D", "42P01")) {
      throw new ProbeFailure("missing", "there is no such database or table", {
        advice: "Create it, or correct its name",
      });
    }
    if (has("42501")) {
      throw new ProbeFailure("forbidden", "the user may not do that", { advice: "Grant the user the right" });
    }
    throw error;
  }
}
