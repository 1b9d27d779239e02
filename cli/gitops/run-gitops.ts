// Runs `sluice plan`, `sluice apply` and `sluice export`, which connect a folder of definitions with a management
// service.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exitCodes, misuse } from "../../compiler/cli/exit-codes.ts";
import { describeFileError, makeFolder, orOutputError } from "../../compiler/cli/output-folder.ts";
import {
  isServiceAddress,
  ManagementClient,
  ManagementFailure,
  noServiceAddress,
} from "../management-client.ts";
import { type FolderChanges, findChanges, makeChanges } from "./changes.ts";
import { changesAsJson, renderChanges } from "./render.ts";

/** Options of the commands. */
export interface GitopsOptions {
  readonly file: string;
  readonly server?: string;
  readonly prune?: boolean;
  readonly json?: boolean;
}

/**
 * Prints the changes that `apply` would make. Returns exit code 0 if there are none, 2 if there are some, 1 for
 * errors.
 */
export function runPlan(options: GitopsOptions): Promise<number> {
  return withClient(options, async (client) => {
    const found = await showChanges(client, options);
    return found.changes.length === 0 ? exitCodes.done : exitCodes.changes;
  });
}

/** Brings the service to the state of the folder. Returns exit code 0 on success, otherwise 1. */
export function runApply(options: GitopsOptions): Promise<number> {
  return withClient(options, async (client) => {
    const found = await showChanges(client, options);
    await makeChanges(client, found.changes, ({ api, action }) => {
      process.stderr.write(`${api}: ${action}d\n`);
    });
    return 0;
  });
}

/** Writes every definition of the service to the folder. Returns exit code 0, or 1 for errors. */
export function runExport(options: GitopsOptions): Promise<number> {
  return withClient(options, async (client) => {
    await makeFolder(options.file);
    for (const id of await client.list()) {
      const { text, isJson } = await client.read(id);
      // An API id may contain any character; a file name may not.
      const path = join(
        options.file,
        `${encodeURIComponent(id).replace(/^\./, "%2E")}.${isJson ? "json" : "yaml"}`,
      );
      if ((await readFile(path, "utf8").catch(() => undefined)) === text) continue;
      await orOutputError(path, () => writeFile(path, text));
      process.stdout.write(`${path}\n`);
    }
    return 0;
  });
}

/** Finds the changes and prints them. */
async function showChanges(
  client: ManagementClient,
  { file, prune = false, json = false }: GitopsOptions,
): Promise<FolderChanges> {
  const found = await findChanges(client, file, prune);
  process.stdout.write(json ? changesAsJson(found) : renderChanges(found));
  return found;
}

async function withClient(
  { server = process.env.GW_MANAGEMENT_URL }: GitopsOptions,
  work: (client: ManagementClient) => Promise<number>,
): Promise<number> {
  const token = process.env.GW_MANAGEMENT_TOKEN;
  if (server === undefined) return misuse("name the service with --server URL or GW_MANAGEMENT_URL");
  if (!isServiceAddress(server)) return misuse(noServiceAddress);
  if (token === undefined || token === "")
    return misuse("GW_MANAGEMENT_TOKEN is not set; it holds a key of the service");
  try {
    return await work(new ManagementClient(server, token));
  } catch (error) {
    if (error instanceof ManagementFailure) return fail(error.message);
    // Files and folders of the user that cannot be read or written.
    if (error instanceof Error && "syscall" in error) return fail(describeFileError(error));
    throw error;
  }
}

function fail(text: string): number {
  for (const line of text.split("\n")) process.stderr.write(`sluice: ${line}\n`);
  return exitCodes.failed;
}
