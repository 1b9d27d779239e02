// Finds the folders of packages by their names in `components`, and reads their `package.json`.

import { realpath } from "node:fs/promises";
import { posix, resolve } from "node:path";
import type { FileSystem } from "../parse/document/file-system.ts";
import { folderOf, resolvePath } from "../parse/document/paths.ts";
import { isRecord } from "../value-types/records.ts";
import { refuse } from "./package-problem.ts";

/** A package that was found. */
export interface FoundPackage {
  /** The `name` of its `package.json`. */
  readonly name: string;
  /** The folder in the file system of the documents. */
  readonly folder: string;
  /** The same folder as an absolute path without symbolic links, as bundles name it. */
  readonly realFolder: string;
  /** The entry module that describes its components, below the folder. */
  readonly entry: string;
}

/** The subpath under which a package exports its contents. */
const entryExport = "./sluice";

/** Maximum bytes of `package.json`, and of a module. */
export const fileLimit = 4 * 1024 * 1024;

/** Finds a package that a file at `settings` names. Throws a `PackageProblem` if there is none. */
export async function findPackage(
  named: string,
  settings: string,
  fileSystem: FileSystem,
): Promise<FoundPackage> {
  const isFolder = /^\.{0,2}\//.test(named) || named === "." || named === "..";
  const folders = isFolder
    ? [resolvePath(settings, named).replace(/\/$/, "") || "."]
    : homesOf(named, settings);
  for (const folder of folders) {
    const text = await readText(posix.join(folder, "package.json"), fileSystem);
    if (text !== undefined) return describe(named, folder, text);
  }
  return refuse("GW4400", { name: named, isFolder });
}

/**
 * Returns the folders where Node looks for a package from the folder of `settings`: each `node_modules` on the way up.
 */
function homesOf(name: string, settings: string): readonly string[] {
  const relative = folderOf(settings) || ".";
  const homes: string[] = [];
  const add = (folder: string) => homes.push(posix.join(folder, "node_modules", name));
  for (let folder = relative; ; folder = posix.dirname(folder)) {
    add(folder);
    if (folder === "." || folder === "/" || folder.startsWith("..")) break;
  }
  if (posix.isAbsolute(relative)) return homes;
  // Above the working directory, paths are absolute.
  for (let folder = resolve(relative).replaceAll("\\", "/"); ; folder = posix.dirname(folder)) {
    add(folder);
    if (folder === posix.dirname(folder)) break;
  }
  return homes;
}

async function describe(named: string, folder: string, text: string): Promise<FoundPackage> {
  const manifest = parseManifest(named, text);
  const { name } = manifest;
  if (typeof name !== "string" || name === "")
    return refuse("GW4415", { package: named, reason: "it has no `name`" });
  const entry = entryOf(manifest.exports);
  if (entry === undefined) return refuse("GW4401", { package: name });
  const absolute = resolve(folder);
  // Files that exist only in memory have no real path.
  const realFolder = await realpath(absolute).catch(() => absolute);
  return { name, folder, realFolder, entry: posix.normalize(entry) };
}

function parseManifest(named: string, text: string): Readonly<Record<string, unknown>> {
  try {
    const manifest: unknown = JSON.parse(text);
    if (typeof manifest === "object" && manifest !== null) return { ...manifest };
  } catch (error) {
    return refuse("GW4415", { package: named, reason: `it is not JSON: ${messageOf(error)}` });
  }
  return refuse("GW4415", { package: named, reason: "it holds no object" });
}

/** Returns the path of the entry in `exports`, under the conditions with which Node would import it. */
function entryOf(exports: unknown): string | undefined {
  const target = isRecord(exports) ? exports[entryExport] : undefined;
  return targetOf(target);
}

function targetOf(target: unknown): string | undefined {
  if (typeof target === "string") return target.startsWith("./") ? target.slice(2) : undefined;
  if (!isRecord(target)) return undefined;
  // The first condition that applies wins, as in Node.
  for (const [condition, value] of Object.entries(target))
    if (["sluice", "import", "node", "module-sync", "default"].includes(condition)) return targetOf(value);
  return undefined;
}

async function readText(path: string, fileSystem: FileSystem): Promise<string | undefined> {
  try {
    return Buffer.from(await fileSystem.readFile(path, fileLimit)).toString("utf8");
  } catch {
    // A folder without the file is skipped, as in Node; the caller reports if no folder has it.
    return undefined;
  }
}

/** Returns the first line of an error message. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split("\n", 1)[0] ?? "";
}

/** Returns what a value is, in words that follow "got". */
export function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    return JSON.stringify(value);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
