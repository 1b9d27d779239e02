import type { Cache } from "../../component/resource.ts";
import { GatewayError } from "../../errors.ts";
import { unfitText } from "../../grammar/computed-text.ts";
import { decodeUtf8, encodeUtf8 } from "../../text/utf8.ts";
import { createSqlConnection } from "./connection.ts";
import type { OpenDatabase, SqlDatabase } from "./database.ts";
import type { SqlCacheOptions } from "./generated/sql-cache-options.ts";

/** A cache in a table. Values are stored as texts and never expire: a `ttl` has no effect. */
export function sqlCache(options: SqlCacheOptions, open: OpenDatabase): Cache {
  const { table, key_column: key, value_column: value, set_suffix = "" } = options;
  const connection = createSqlConnection(options, open);
  let database: SqlDatabase | undefined;

  function opened(): SqlDatabase {
    if (database === undefined) throw new GatewayError(503, "The database is not connected");
    return database;
  }

  function insertion(base: SqlDatabase): string {
    return `INSERT INTO ${table} (${key}, ${value}) VALUES (${base.placeholder(1)}, ${base.placeholder(2)})`;
  }

  /** Returns the text. Throws for lone surrogates and the character 0, which PostgreSQL does not accept. */
  function checked(text: string, field: string): string {
    if (!text.isWellFormed() || text.includes("\0"))
      throw unfitText(field, "a text that the database can hold");
    return text;
  }

  return {
    async start(context) {
      database = await connection.open(context);
    },
    async get(name) {
      const base = opened();
      const statement = `SELECT ${value} AS value FROM ${table} WHERE ${key} = ${base.placeholder(1)}`;
      const [row] = await base.query(statement, [checked(name, "key")]);
      const found = row?.value;
      return found === undefined || found === null ? undefined : encodeUtf8(String(found));
    },
    async set(name, content) {
      const base = opened();
      await base.query(`${insertion(base)} ${set_suffix}`, [checked(name, "key"), textOf(content)]);
    },
    async add(name, content) {
      const base = opened();
      try {
        await base.query(insertion(base), [checked(name, "key"), textOf(content)]);
        return true;
      } catch (error) {
        if (isTaken(error)) return false;
        throw error;
      }
    },
    async delete(name) {
      const base = opened();
      await base.query(`DELETE FROM ${table} WHERE ${key} = ${base.placeholder(1)}`, [checked(name, "key")]);
    },
    close: () => connection.close(),
  };

  function textOf(content: Uint8Array): string {
    return checked(decodeUtf8(content), "value");
  }
}

/** Returns whether the key already exists, according to the message of PostgreSQL (23505) or SQLite. */
function isTaken(error: unknown): boolean {
  return error instanceof GatewayError && /duplicate key|UNIQUE constraint failed/.test(error.message);
}
