// Defines `sluice store` and its help. Its implementation is loaded when it runs.

import type { Command } from "commander";
import { subcommand } from "../../compiler/cli/program.ts";
import type { RestoreOptions } from "./run-store.ts";

/** Adds `store` to the program. */
export function addStore(program: Command): void {
  const store = subcommand(program, "store", "Back up, restore and migrate the store of a gateway.");
  subcommand(store, "backup", "Copy an SQLite store to a file while gateways use it.")
    .argument("<file>", "File for the copy, which must not exist.")
    .argument("[store]", "Address of the store, `sqlite:PATH`; GW_STORE_URL by default.")
    .addHelpText("after", backupExamples)
    .action(async (file: string, address: string | undefined) => {
      const { runBackup } = await import("./run-store.ts");
      process.exitCode = await runBackup(file, address);
    });
  subcommand(store, "restore", "Replace an SQLite store that is not in use with a copy.")
    .argument("<file>", "File that `sluice store backup` wrote.")
    .argument("[store]", "Address of the store, `sqlite:PATH`; GW_STORE_URL by default.")
    .option("--replace", "Overwrite an existing store.")
    .addHelpText("after", restoreExamples)
    .action(async (file: string, address: string | undefined, options: RestoreOptions) => {
      const { runRestore } = await import("./run-store.ts");
      process.exitCode = await runRestore(file, address, options);
    });
  subcommand(store, "migrate", "Migrate the tables of a store before a gateway does.")
    .argument("[store]", "Address of the store, `sqlite:PATH` or `postgres://…`; GW_STORE_URL by default.")
    .addHelpText("after", migrateExamples)
    .action(async (address: string | undefined) => {
      const { runMigrate } = await import("./run-store.ts");
      process.exitCode = await runMigrate(address);
    });
}

const environment = `
Environment:
  GW_STORE_URL   address of the store, if none is given
`;

const backupExamples = `${environment}
Examples:
  sluice store backup monday.db sqlite:gateway.db
`;

const restoreExamples = `${environment}
Examples:
  sluice store restore monday.db sqlite:gateway.db --replace
`;

const migrateExamples = `${environment}
Examples:
  sluice store migrate sqlite:gateway.db
  GW_STORE_URL=postgres://gateway@db/gateway sluice store migrate
`;
