// What the service would have to change to have the definitions of a folder.

import { compareStreams, type StreamDifference } from "../../compiler/cli/stream-changes.ts";
import { type ManagementClient, ManagementFailure } from "../management-client.ts";
import { type FolderDefinition, readDefinitions } from "./documents.ts";

/** What would happen to one API. */
export interface ApiChange {
  readonly api: string;
  readonly action: "create" | "update" | "delete";
  /** Where its definition is, below the folder. */
  readonly path?: string;
  /** `undefined` where the definition does not compile on its own, so that its streams cannot be compared. */
  readonly streams: readonly StreamDifference[] | undefined;
}

/** A change with what is needed to make it. */
export interface PendingChange extends ApiChange {
  readonly text?: string;
  readonly etag?: string;
}

/** What a folder and a service differ in. */
export interface FolderChanges {
  readonly changes: readonly PendingChange[];
  readonly unchanged: readonly string[];
  /** APIs of the service that the folder lacks, and that are kept. */
  readonly kept: readonly string[];
}

/**
 * Compares a folder with a service, and changes nothing. With `prune` APIs that the folder lacks are to be deleted. Rejects with
 * a `ManagementFailure` that names every definition that would be refused.
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

/** Each definition by the id that it states, once the service would take all of them. */
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

/** What is wrong with a definition. Rejects where the service cannot be asked. */
async function problemOf(
  client: ManagementClient,
  { text, id }: FolderDefinition,
  served: ReadonlySet<string>,
): Promise<string | undefined> {
  try {
    await client.validate(text, id !== undefined && served.has(id) ? id : undefined);
    return undefined;
  } catch (error) {
    // Another status holds for all definitions alike.
    if (!(error instanceof ManagementFailure) || error.status !== 400) throw error;
    return error.message;
  }
}

/**
 * Makes the changes, each whole or not at all, and calls `made` after each. One that is refused is tried again after the
 * others, since APIs may name each other. Rejects with a `ManagementFailure` that names those that were refused.
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
