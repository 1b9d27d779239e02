// Which files a workspace has; where its sets are: every `gateway.yaml` below its folders, and around open documents.

import { readdir, readFile } from "node:fs/promises";
import { posix } from "node:path";

const settingsNames: ReadonlySet<string> = new Set(["gateway.yaml", "gateway.yml", "gateway.json"]);

/** Folders that hold what others wrote. */
const passedOver: ReadonlySet<string> = new Set(["node_modules", "dist", "out", "build", "target", "vendor"]);

/** How many folders of a workspace are looked into, and how far up from a document. */
const maximumFolders = 5000;
const maximumAscent = 8;

/** Whether a file holds the settings of a set, by its name. */
export function isSettingsName(path: string): boolean {
  return settingsNames.has(posix.basename(path).toLowerCase());
}

/** The settings files below a folder, outer ones first. */
export function findSetsBelow(folder: string): Promise<readonly string[]> {
  return findFilesBelow(folder, isSettingsName);
}

/** The files below a folder that are wanted by their paths, outer ones first; what others wrote is passed over. */
export async function findFilesBelow(
  folder: string,
  isWanted: (path: string) => boolean,
): Promise<readonly string[]> {
  const found: string[] = [];
  const waiting = [folder];
  for (let count = 0; count < maximumFolders; count++) {
    const next = waiting.shift();
    if (next === undefined) break;
    for (const { name, isFolder } of await list(next)) {
      const path = posix.join(next, name);
      if (!isFolder && isWanted(path)) found.push(path);
      if (isFolder && !name.startsWith(".") && !passedOver.has(name)) waiting.push(path);
    }
  }
  return found;
}

/** Bytes of a file above which it is not searched. */
const largestSearched = 1_000_000;

/** Documents and mappings below folders that hold a name, those alone that are wanted by their paths. */
export async function findFilesNaming(
  name: string,
  folders: Iterable<string>,
  isWanted: (path: string) => boolean,
): Promise<readonly { readonly path: string; readonly text: string }[]> {
  const found = new Map<string, string>();
  // References write names with the escapes of addresses.
  const spellings = [name, encodeURI(name)];
  for (const folder of folders) {
    const paths = await findFilesBelow(
      folder,
      (path) => /\.(?:ya?ml|json|blobl|bloblang)$/i.test(path) && isWanted(path),
    );
    for (const path of paths) {
      // One that is gone or not open to us names nothing.
      const text = await readFile(path, "utf8").catch(() => "");
      if (text.length <= largestSearched && spellings.some((each) => text.includes(each)))
        found.set(path, text);
    }
  }
  return [...found].map(([path, text]) => ({ path, text }));
}

/** The settings files in the folder of a document and those above it, the nearest first. */
export async function findSetsAround(path: string): Promise<readonly string[]> {
  const found: string[] = [];
  let folder = posix.dirname(path);
  for (let count = 0; count < maximumAscent; count++) {
    for (const { name, isFolder } of await list(folder))
      if (!isFolder && settingsNames.has(name.toLowerCase())) found.push(posix.join(folder, name));
    const above = posix.dirname(folder);
    if (above === folder) break;
    folder = above;
  }
  return found;
}

async function list(
  folder: string,
): Promise<readonly { readonly name: string; readonly isFolder: boolean }[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
  } catch {
    // Gone or not open to us: nothing of ours is in it.
    return [];
  }
}
