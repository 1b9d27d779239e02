// Reads the document under test: replaces variables, resolves references and adds the resources
// of other files. Its tests are left out, so that nothing in them is treated as part of the document.

import type { Report } from "../../diagnostics/sink.ts";
import type { FileSystem } from "../../parse/document/file-system.ts";
import { maximumBytes } from "../../parse/document/limits.ts";
import { createExpander } from "../../parse/references/expand.ts";
import { createLibrary, type Library } from "../../parse/references/library.ts";
import { createNames } from "../../parse/references/names.ts";
import { followReferences } from "../../parse/references/references.ts";
import type { DocumentNode, MapEntry } from "../../trees/document.ts";

/** Options for reading a document under test. */
export interface TargetOptions {
  readonly fileSystem: FileSystem;
  /** The values of `${NAME}`. */
  readonly environment: Readonly<Record<string, string>>;
  /** Files whose resources can be used as if they were in the document. */
  readonly resources: readonly string[];
}

/** The prefix of the keys of added resources. No pointer names such a key. */
const addedKey = "resources of ";

/** Whether an entry of a document under test contains the resources of another file. */
export function isAddedResource(key: string): boolean {
  return key.startsWith(addedKey);
}

/** Returns the document at `path`; `undefined` after reporting errors in it or in a file of resources. */
export async function readTargetDocument(
  path: string,
  { fileSystem, environment, resources }: TargetOptions,
  report: Report,
): Promise<DocumentNode | undefined> {
  const reading = { fileSystem: withVariables(fileSystem, environment), report, limit: maximumBytes };
  const library = createLibrary(reading);
  const root = await readExpanded(path, library, report);
  const added: MapEntry[] = [];
  for (const resource of resources) {
    const value = await readExpanded(resource, library, report);
    if (value === undefined) return undefined;
    added.push({ key: addedKey + resource, keySpan: value.span, value });
  }
  return root?.kind === "map" ? { ...root, entries: [...root.entries, ...added] } : root;
}

async function readExpanded(
  path: string,
  library: Library,
  report: Report,
): Promise<DocumentNode | undefined> {
  const root = (await library.load(path))?.root;
  if (root?.kind !== "map") return root;
  const isApi = root.entries.some(({ key }) => key === "openapi");
  // Schemas of an API may be recursive; processors occur only in its extensions.
  const entries = root.entries.filter(({ key }) => {
    return key !== "tests" && key !== "x-tests" && (!isApi || key.startsWith("x-"));
  });
  const names = createNames();
  const whole = { ...root, entries };
  const references = await followReferences(whole, { library, report, names, allowFiles: true });
  return createExpander(references, report).expand(whole);
}

const variable = /\$\{([A-Za-z_][A-Za-z0-9_.]*)(?::([^}]*))?\}/g;

/**
 * Returns a file system that replaces variables anywhere in a file, including mappings, as the reference engine
 * does. Variables that are not set and have no default stay, so that the compiler reports them.
 */
function withVariables(fileSystem: FileSystem, environment: Readonly<Record<string, string>>): FileSystem {
  return {
    list: (folder) => fileSystem.list(folder),
    async readFile(path, limit) {
      // latin1 keeps every byte, so that the reader can still reject a file that is not text.
      const text = Buffer.from(await fileSystem.readFile(path, limit)).toString("latin1");
      return Buffer.from(replaceVariables(text, environment), "latin1");
    },
  };
}

function replaceVariables(text: string, environment: Readonly<Record<string, string>>): string {
  return text.replace(variable, (written, name: string, fallback: string | undefined) => {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value === undefined || value === "") return fallback ?? (value === undefined ? written : "");
    // A line break would end the value in the middle of the document.
    return Buffer.from(value.replaceAll("\n", "\\n")).toString("latin1");
  });
}
