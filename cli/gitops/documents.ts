// Reads the definitions of a folder in the form in which they are sent.

import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { parse } from "yaml";

/** A file with a definition. */
export interface FolderDefinition {
  /** Path below the folder, with `/` as the separator. */
  readonly path: string;
  readonly text: string;
  /** `info.id` of the gateway block; `undefined` if there is none, or if it cannot be read. */
  readonly id: string | undefined;
}

const skipped = new Set(["node_modules", "out", "dist", "tests", "test"]);

/**
 * Returns the OpenAPI documents with streams below a folder, sorted by path. Skips other YAML and JSON files, hidden
 * folders, builds and tests. Rejects if the folder or a file cannot be read.
 */
export async function readDefinitions(folder: string): Promise<readonly FolderDefinition[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry): Promise<readonly FolderDefinition[]> => {
      const path = join(folder, entry.name);
      if (entry.name.startsWith(".")) return [];
      if (entry.isDirectory()) {
        if (skipped.has(entry.name)) return [];
        return (await readDefinitions(path)).map((each) => ({ ...each, path: `${entry.name}/${each.path}` }));
      }
      if (!/\.(?:ya?ml|json)$/i.test(entry.name)) return [];
      const text = await readFile(path, "utf8");
      const definition = readDefinition(text);
      return definition === undefined ? [] : [{ path: relative(folder, path), ...definition }];
    }),
  );
  return found.flat().toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** The key of the streams where keys may be: at the start of a line, or within one, as in JSON without line breaks. */
const streamsKey = /(?:^|[{,])[^\S\r\n]*["']?x-(?:gw|tyk)-streaming["']?[^\S\r\n]*:/m;

/**
 * Returns `undefined` if the text is not a definition. Invalid YAML counts as one, so that the service reports the
 * error.
 */
function readDefinition(text: string): Pick<FolderDefinition, "text" | "id"> | undefined {
  if (!streamsKey.test(text)) return undefined;
  try {
    const value: unknown = parse(text, { merge: true, logLevel: "silent" });
    if (fieldOf(value, "openapi") === undefined) return undefined;
    const gateway = fieldOf(value, "x-gw-api-gateway") ?? fieldOf(value, "x-tyk-api-gateway");
    const id = fieldOf(fieldOf(gateway, "info"), "id");
    return { text, id: typeof id === "string" && id !== "" ? id : undefined };
  } catch {
    return { text, id: undefined };
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
