// Reads the definitions of a folder in the form in which they are sent.

import { isUtf8 } from "node:buffer";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { maximumBytes } from "../../compiler/compile.ts";
import { nodeFileSystem } from "../../compiler/index.ts";

/** A file with a definition. */
export interface FolderDefinition {
  /** Path below the folder, with `/` as the separator. */
  readonly path: string;
  readonly text: string;
  /** `info.id` of the gateway block; `undefined` if there is none, or if it cannot be read. */
  readonly id: string | undefined;
  /** Why the file cannot be sent. */
  readonly problem?: string;
}

const skipped = new Set(["node_modules", "out", "dist", "tests", "test"]);

/**
 * Returns the OpenAPI documents with streams below a folder, sorted by path. Skips other YAML and JSON files, hidden
 * folders, builds and tests, and links to folders. Rejects if the folder or a file cannot be read.
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
      // A pipe would never end.
      if (!(await stat(path)).isFile()) return [];
      const definition = readDefinition(await nodeFileSystem.readFile(path, maximumBytes));
      return definition === undefined ? [] : [{ path: entry.name, ...definition }];
    }),
  );
  return found.flat().toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** The key of the streams where keys may be: at the start of a line, or within one, as in JSON without line breaks. */
const streamsKey = /(?:^|[{,])[^\S\r\n]*["']?x-(?:gw|tyk)-streaming["']?[^\S\r\n]*:/m;

/**
 * Returns `undefined` if the bytes are not a definition. Invalid YAML counts as one, so that the service reports the
 * error. So does a file that is too large to tell: if it were skipped, `--prune` could delete its API.
 */
function readDefinition(bytes: Uint8Array): Omit<FolderDefinition, "path"> | undefined {
  if (bytes.length > maximumBytes)
    return { text: "", id: undefined, problem: `larger than ${maximumBytes / 1024 / 1024} MB` };
  const text = Buffer.from(bytes).toString("utf8");
  // In UTF-16, every other byte of a key is zero.
  if (!streamsKey.test(text.replaceAll("\0", ""))) return undefined;
  if (!isUtf8(bytes)) return { text: "", id: undefined, problem: "not UTF-8: save the file as UTF-8" };
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
