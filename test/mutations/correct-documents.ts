import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { entryOf } from "../corpus/entry.ts";
import { projectRoot } from "../harness/directories.ts";
import type { CorrectDocument } from "./mutation.ts";

/** Returns the complete documents of `test/corpus`, by the names of their folders. */
export function readCorrectDocuments(): readonly CorrectDocument[] {
  const root = resolve(projectRoot, "test/corpus");
  const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => readDocument(root, name)).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function readDocument(root: string, name: string): CorrectDocument {
  const folder = join(root, name);
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  const files = new Map(
    paths
      .filter((path) => !path.endsWith("notes.txt"))
      .map((path) => [relative(folder, path).replaceAll(sep, "/"), readFileSync(path, "utf8")]),
  );
  return { name, files, entry: entryOf([...files.keys()]) };
}
