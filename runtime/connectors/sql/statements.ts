// Builds statements from the fields of components, all of which are texts of the document.

import { UnfitMessages, unfitMessage } from "../../component/unfit-messages.ts";
import { GatewayError, MappingError } from "../../errors.ts";
import { unfit } from "../../grammar/computed-text.ts";
import type { Batch, Message } from "../../message/message.ts";
import type { Value } from "../../message/value.ts";
import { type SqlDatabase, type SqlSession, withPlaceholders } from "./database.ts";

/** The fields of a query. */
export interface SqlSelection {
  readonly table: string;
  readonly columns: readonly string[];
  readonly where?: string;
  readonly prefix?: string;
  readonly suffix?: string;
}

/** Returns the text of a query; each `?` becomes a placeholder of the database. */
export function selectText(
  { table, columns, where = "", prefix = "", suffix = "" }: SqlSelection,
  database: SqlDatabase,
): string {
  const condition = where === "" ? "" : ` WHERE ${where}`;
  const text = `${prefix} SELECT ${columns.join(", ")} FROM ${table}${condition} ${suffix}`.trim();
  return withPlaceholders(text, (number) => database.placeholder(number));
}

/** The fields of an insertion. */
export type Insertion = Omit<SqlSelection, "where">;

/** Largest number of parameters in one statement, below the limits of both databases. */
const largestStatement = 30_000;

/** A message and its parameters. */
export interface Prepared {
  readonly message: Message;
  readonly args: readonly Value[];
}

/**
 * Inserts a row for each message: all of them, or none.
 * Rejects with `UnfitMessages` if some rows can never be inserted.
 */
export function insertRows(
  database: SqlDatabase,
  insertion: Insertion,
  rows: readonly Prepared[],
): Promise<void> {
  const { columns } = insertion;
  const atOnce = Math.max(1, Math.floor(largestStatement / columns.length));
  const insert = async (session: SqlSession, some: readonly Prepared[]) => {
    for (let start = 0; start < some.length; start += atOnce) {
      const piece = some.slice(start, start + atOnce);
      await session.query(
        insertText(insertion, piece.length, database),
        piece.flatMap(({ args }) => args),
      );
    }
  };
  return together(database, rows, insert);
}

function insertText(
  { table, columns, prefix = "", suffix = "" }: Insertion,
  rows: number,
  database: SqlDatabase,
): string {
  let number = 0;
  const row = () => `(${columns.map(() => database.placeholder(++number)).join(", ")})`;
  const values = Array.from({ length: rows }, row).join(", ");
  return `${prefix} INSERT INTO ${table} (${columns.join(", ")}) VALUES ${values} ${suffix}`.trim();
}

/** Runs a statement for each message: all of them, or none. Rejects like `insertRows`. */
export function runEach(database: SqlDatabase, statement: string, rows: readonly Prepared[]): Promise<void> {
  return together(database, rows, async (session, some) => {
    for (const { args } of some) await session.query(statement, args);
  });
}

type Work = (session: SqlSession, rows: readonly Prepared[]) => Promise<void>;

async function together(database: SqlDatabase, rows: readonly Prepared[], work: Work): Promise<void> {
  if (rows.length === 0) return;
  // A single statement needs no transaction, and some statements cannot run in one.
  const [only] = rows;
  try {
    if (rows.length === 1) await work(database, rows);
    else await database.transaction((session) => work(session, rows));
  } catch (error) {
    if (!isUnfit(error)) throw error;
    if (rows.length === 1 && only !== undefined) throw unfitMessage(only.message, error);
    await findUnfit(database, rows, work);
    throw error;
  }
}

/**
 * Finds the messages at fault by trying each in a savepoint. Always rejects, so that the transaction is rolled back.
 */
async function findUnfit(database: SqlDatabase, rows: readonly Prepared[], work: Work): Promise<void> {
  await database.transaction(async (session) => {
    const failures = new Map<Message, GatewayError>();
    for (const row of rows) {
      await session.query("SAVEPOINT message", []);
      try {
        await work(session, [row]);
      } catch (error) {
        if (!isUnfit(error)) throw error;
        failures.set(row.message, error);
        await session.query("ROLLBACK TO SAVEPOINT message", []);
      }
    }
    const [first] = failures.values();
    if (first !== undefined) throw new UnfitMessages(failures, first);
    throw unfit("The rows fit one by one, and not together");
  });
}

function isUnfit(error: unknown): error is GatewayError {
  return error instanceof GatewayError && error.status === 422;
}

/** Returns the parameters of a row; throws a `MappingError` if their number differs from that of the columns. */
export function rowOf(args: readonly Value[], columns: readonly string[]): readonly Value[] {
  if (args.length === columns.length) return args;
  throw new MappingError(`mapping returned ${args.length} values for ${columns.length} columns`);
}

/** Returns the messages of a batch with their parameters. */
export function preparedOf(batch: Batch, args: readonly (readonly Value[])[]): readonly Prepared[] {
  return batch.map((message, index) => ({ message, args: args[index] ?? [] }));
}
