// Finds the files that match a pattern such as `apis/**/*.yaml`, in alphabetical order.

import { posix } from "node:path";
import type { FileSystem, FolderEntry } from "./file-system.ts";

/** Whether a path is a pattern rather than a name. */
export function isPattern(path: string): boolean {
  return /[*?[\]{}]/.test(path);
}

/**
 * Returns the matching files. Names that begin with a dot, and `node_modules`, match only if the pattern names them.
 */
export async function findMatches(pattern: string, fileSystem: FileSystem): Promise<readonly string[]> {
  const parts = posix.normalize(pattern).split("/");
  const plain = parts.slice(0, -1).findIndex(isPattern);
  const fixed = plain === -1 ? parts.length - 1 : plain;
  const found = await walk(parts.slice(0, fixed).join("/"), parts.slice(fixed), fileSystem);
  return [...new Set(found)].toSorted();
}

async function walk(
  folder: string,
  parts: readonly string[],
  fileSystem: FileSystem,
): Promise<readonly string[]> {
  const [part, ...rest] = parts;
  if (part === undefined) return [];
  const found: string[] = [];
  const take = async (inside: string, below: readonly string[]) => {
    for (const path of await walk(inside, below, fileSystem)) found.push(path);
  };
  if (part === "**" && rest.length > 0) await take(folder, rest);
  for (const entry of await listFolder(folder, fileSystem)) {
    if (!matches(entry.name, part)) continue;
    const path = folder === "" ? entry.name : `${folder === "/" ? "" : folder}/${entry.name}`;
    if (entry.kind === "folder") {
      await take(path, part === "**" ? parts : rest);
    } else if (rest.length === 0) {
      found.push(path);
    }
  }
  return found;
}

function matches(name: string, part: string): boolean {
  if (part === "**") return !name.startsWith(".") && name !== "node_modules";
  if (name.startsWith(".") && !part.startsWith(".")) return false;
  if (!isQuiet) silenceFirstMatch();
  return posix.matchesGlob(name, part);
}

let isQuiet = false;

/** Node 20 and 22 warn at the first match of a process that the function is experimental. Users cannot act on that. */
function silenceFirstMatch(): void {
  isQuiet = true;
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    posix.matchesGlob("a", "a");
  } finally {
    process.emitWarning = emitWarning;
  }
}

async function listFolder(folder: string, fileSystem: FileSystem): Promise<readonly FolderEntry[]> {
  try {
    return await fileSystem.list(folder === "" ? "." : folder);
  } catch {
    // A folder that does not exist or is not accessible has no matches. The caller reports that.
    return [];
  }
}
