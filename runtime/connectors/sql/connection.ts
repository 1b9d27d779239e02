// The database connection of one component.

import { glob } from "node:fs/promises";
import type { ComponentContext } from "../../component/component.ts";
import { type OnDemand, openOnDemand } from "../../component/kept-open.ts";
import { GatewayError } from "../../errors.ts";
import { readMachineText } from "../../process/machine-files.ts";
import type { OpenDatabase, SqlAddress, SqlDatabase } from "./database.ts";

/** A database that is opened on first use; rejects with a `GatewayError` if that is not possible now. */
export type SqlConnection = OnDemand<ComponentContext, SqlDatabase>;

/** Creates a connection, which opens nothing before `open`. `init_files` and `init_statement` run once. */
export function createSqlConnection(address: SqlAddress, open: OpenDatabase): SqlConnection {
  let isPrepared = false;
  return openOnDemand(
    async (context) => {
      const database = await open(address, context);
      if (!isPrepared) await prepare(database, address, context);
      isPrepared = true;
      return database;
    },
    (database) => database.close(),
  );
}

/**
 * Runs the init statements.
 * As in the reference engine, a statement that fails is logged, and the component continues.
 */
async function prepare(
  database: SqlDatabase,
  { init_files = [], init_statement = "" }: SqlAddress,
  { log }: ComponentContext,
): Promise<void> {
  const attempt = async (what: string, text: () => Promise<string>) => {
    try {
      await database.script(await text());
    } catch (error) {
      const reason = error instanceof GatewayError ? error.answer : String(error);
      log.warn(`${what} failed`, { reason });
    }
  };
  for (const pattern of init_files) {
    for await (const path of glob(pattern))
      await attempt(`init file ${path}`, async () => readMachineText(path));
  }
  if (init_statement !== "") await attempt("init_statement", async () => init_statement);
}
