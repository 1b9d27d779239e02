// Finds and makes the changes that bring a management service to the definitions of a folder.

import { compareStreams, type StreamDifference } from "../../compiler/cli/stream-changes.ts";
import { type ManagementClient, ManagementFailure } from "../management-client.ts";
import { type FolderDefinition, readDefinitions } from "./documents.ts";

/** The change to one API. */
export interface ApiChange {
  readonly api: string;
  readonly action: "create" | "update" | "delete";
  /** The path of its definition, below the folder. */
  readonly path?: string;
  /**
   * The changed streams; `undefined` if the definition does not compile on its own, so that streams cannot be
   * compared.
   */
  readonly streams: readonly StreamDifference[] | undefined;
}

/** A change, with the data needed to make it. */
export interface PendingChange extends ApiChange {
  readonly text?: string;
  readonly etag?: string;
}

/** The differences between a folder and a service. */
export interface FolderChanges {
  readonly changes: readonly PendingChange[];
  readonly unchanged: readonly string[];
  /** APIs of the service that are not in the folder and are kept. */
  readonly kept: readonly string[];
}

/**
 * Compares a folder with a service, without changing anything. With `prune`, APIs that are not in the folder are
 * deleted. Rejects with a `ManagementFailure` that names every definition that the service would refuse.
 */
export async function findChanges(
  client: ManagementClient,
  folder: string,
  prune: boolean,
): Promise<FolderChanges> {
  const files = await readDefinitions(folder);
  const served = new Set(await client.list());
  const wanted = await identify(client, files, served);
  const changes: PendingChange[] = [];
  const unchanged: string[] = [];
  for (const [api, { path, text }] of wanted) {
    if (!served.has(api)) {
      changes.push({ api, action: "create", path, text, streams: await compareStreams(undefined, text) });
      continue;
    }
    const present = await client.read(api);
    if (present.text === text) unchanged.push(api);
    else {
      const streams = await compareStreams(present.text, text);
      changes.push({ api, action: "update", path, text, etag: present.etag, streams });
    }
  }
  const others = [...served].filter((id) => !wanted.has(id));
  for (const api of prune ? others : []) {
    const { text, etag } = await client.read(api);
    changes.push({ api, action: "delete", etag, streams: await compareStreams(text, undefined) });
  }
  return { changes, unchanged, kept: prune ? [] : others };
}

/** Finds the ids of all definitions. Rejects unless the service accepts all of them. */
async function identify(
  client: ManagementClient,
  files: readonly FolderDefinition[],
  served: ReadonlySet<string>,
): Promise<ReadonlyMap<string, FolderDefinition>> {
  const found = new Map<string, FolderDefinition>();
  const problems: string[] = [];
  for (const file of files) {
    const problem = await problemOf(client, file, served);
    const other = file.id === undefined ? undefined : found.get(file.id);
    if (problem !== undefined) problems.push(`${file.path}: ${problem}`);
    else if (other !== undefined) problems.push(`${file.path}: ${other.path} has the id ${file.id}, too`);
    else if (file.id === undefined) problems.push(`${file.path}: ${noId}`);
    else found.set(file.id, file);
  }
  if (problems.length > 0) throw new ManagementFailure(problems.join("\n"));
  return found;
}

const noId = "missing `x-gw-api-gateway.info.id`, by which the API is known";

/** Statuses that refuse one definition: mistakes, a path or an API of somebody else, an id in use, too many bytes. */
const ofDefinition: ReadonlySet<number> = new Set([400, 403, 409, 413]);

/** Returns what is wrong with a definition; `undefined` if nothing. Rejects if the service is unreachable. */
async function problemOf(
  client: ManagementClient,
  { text, id, problem }: FolderDefinition,
  served: ReadonlySet<string>,
): Promise<string | undefined> {
  if (problem !== undefined) return problem;
  try {
    await client.validate(text, id !== undefined && served.has(id) ? id : undefined);
    return undefined;
  } catch (error) {
    if (!(error instanceof ManagementFailure) || !ofDefinition.has(error.status)) throw error;
    return error.message;
  }
}

/**
 * Makes the changes one by one and calls `made` after each. A refused change is tried again after the others, since
 * APIs may refer to each other. Rejects with a `ManagementFailure` that names the changes that were refused.
 */
export async function makeChanges(
  client: ManagementClient,
  changes: readonly PendingChange[],
  made: (change: PendingChange) => void,
): Promise<void> {
  let pending = changes;
  while (pending.length > 0) {
    const refused: { readonly change: PendingChange; readonly error: ManagementFailure }[] = [];
    for (const change of pending) {
      try {
        await make(client, change);
        made(change);
      } catch (error) {
        if (!(error instanceof ManagementFailure) || error.status === 0) throw error;
        refused.push({ change, error });
      }
    }
    if (refused.length === pending.length) {
      throw new ManagementFailure(
        refused.map(({ change, error }) => `${change.api}: ${error.message}`).join("\n"),
      );
    }
    pending = refused.map(({ change }) => change);
  }
}

async function make(
  client: ManagementClient,
  { api, action, text = "", etag = "" }: PendingChange,
): Promise<void> {
  if (action === "create") await client.create(text);
  else if (action === "update") await client.replace(api, text, etag);
  else await client.delete(api, etag);
}
