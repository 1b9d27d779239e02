// Finds the files of a workspace, and its sets: every `gateway.yaml` below its folders, and those around open
// documents.

import { readdir, readFile } from "node:fs/promises";
import { posix } from "node:path";

const settingsNames: ReadonlySet<string> = new Set(["gateway.yaml", "gateway.yml", "gateway.json"]);

/** Folders with generated or third-party content, which are skipped. */
const passedOver: ReadonlySet<string> = new Set(["node_modules", "dist", "out", "build", "target", "vendor"]);

/** The most folders of a workspace that are searched, and the most levels above a document. */
const maximumFolders = 5000;
const maximumAscent = 8;

/** Whether a file contains the settings of a set, according to its name. */
export function isSettingsName(path: string): boolean {
  return settingsNames.has(posix.basename(path).toLowerCase());
}

/** Returns the settings files below a folder, outer ones first. */
export function findSetsBelow(folder: string): Promise<readonly string[]> {
  return findFilesBelow(folder, isSettingsName);
}

/** Returns the files below a folder for which `isWanted` returns true, outer ones first; skips third-party folders. */
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

/** The size of a file in characters above which it is not searched. */
const largestSearched = 1_000_000;

/** Returns the documents and mappings below folders that contain a name and for whose paths `isWanted` returns true. */
export async function findFilesNaming(
  name: string,
  folders: Iterable<string>,
  isWanted: (path: string) => boolean,
): Promise<readonly { readonly path: string; readonly text: string }[]> {
  const found = new Map<string, string>();
  // References contain names with percent escapes.
  const spellings = [name, encodeURI(name)];
  for (const folder of folders) {
    const paths = await findFilesBelow(
      folder,
      (path) => /\.(?:ya?ml|json|blobl|bloblang)$/i.test(path) && isWanted(path),
    );
    for (const path of paths) {
      // A file that is missing or not accessible contains no name.
      const text = await readFile(path, "utf8").catch(() => "");
      if (text.length <= largestSearched && spellings.some((each) => text.includes(each)))
        found.set(path, text);
    }
  }
  return [...found].map(([path, text]) => ({ path, text }));
}

/** Returns the settings files in the folder of a document and the folders above it, the nearest first. */
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
    // A folder that is missing or not accessible counts as empty.
    return [];
  }
}
