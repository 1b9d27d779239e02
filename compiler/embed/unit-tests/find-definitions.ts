// Finds the files that define tests from the paths on the command line, and the documents under test.

import type { FileSystem } from "../../parse/document/file-system.ts";
import { folderOf, nameOf, testedFile, testSuffixes } from "../../parse/document/paths.ts";

/** A file with tests. */
export interface DefinitionFile {
  readonly file: string;
  /** The document under test, if the tests name none. */
  readonly target: string;
}

const definitionName = /\.ya?ml$/i;

/**
 * Returns the files that may define tests: those named, the definitions next to them, and all below a folder, sorted by
 * name. A folder may be written `./...`.
 */
export async function findDefinitions(
  paths: readonly string[],
  fileSystem: FileSystem,
): Promise<readonly DefinitionFile[]> {
  const found = new Map<string, DefinitionFile>();
  for (const path of paths) {
    const clean =
      path
        .replaceAll("\\", "/")
        .replace(/^\.\/(?=.)/, "")
        .replace(/\/?\.\.\.$/, "")
        .replace(/\/$/, "") || ".";
    const below = await filesBelow(clean, fileSystem);
    const files = below ?? [clean, ...(await besides(clean, fileSystem))];
    for (const file of files) {
      // JSON files in a folder are usually data, so they count only if they are named explicitly.
      const isDefinition = definitionName.test(file) || (below === undefined && /\.json$/i.test(file));
      if (isDefinition) found.set(file, { file, target: testedFile(file) });
    }
  }
  return [...found.values()];
}

/** Whether the name of a file marks it as a test definition. */
export function isDefinitionName(path: string): boolean {
  return testedFile(path) !== path;
}

/** Returns the test definitions next to a document or a mapping. */
async function besides(path: string, fileSystem: FileSystem): Promise<readonly string[]> {
  const folder = folderOf(path);
  const stem = nameOf(path).replace(/\.[^.]*$/, "");
  const names = testSuffixes.flatMap((suffix) => [`${stem}${suffix}.yaml`, `${stem}${suffix}.yml`]);
  const entries = (await listFolder(folder === "" ? "." : folder, fileSystem)) ?? [];
  const present = entries.filter(({ name, kind }) => kind === "file" && names.includes(name));
  return present.map(({ name }) => (folder === "" ? name : `${folder}/${name}`)).sort();
}

/** Returns all files below a folder; `undefined` if it is not a folder. */
async function filesBelow(folder: string, fileSystem: FileSystem): Promise<readonly string[] | undefined> {
  const entries = await listFolder(folder, fileSystem);
  if (entries === undefined) return undefined;
  const files: string[] = [];
  for (const { name, kind } of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (name.startsWith(".") || name === "node_modules") continue;
    const path = folder === "." ? name : `${folder}/${name}`;
    if (kind === "file") files.push(path);
    else for (const below of (await filesBelow(path, fileSystem)) ?? []) files.push(below);
  }
  return files;
}

async function listFolder(folder: string, fileSystem: FileSystem) {
  try {
    return await fileSystem.list(folder);
  } catch {
    // The path is a file or does not exist: reading it decides.
    return undefined;
  }
}
