// The document that a test is about, as the test sees it: variables read, references put in place, resources
// of other files added. Its tests are left out, so that nothing in them is taken for a part of it.

import type { Report } from "../../diagnostics/sink.ts";
import type { FileSystem } from "../../parse/document/file-system.ts";
import { maximumBytes } from "../../parse/document/limits.ts";
import { createExpander } from "../../parse/references/expand.ts";
import { createLibrary, type Library } from "../../parse/references/library.ts";
import { createNames } from "../../parse/references/names.ts";
import { followReferences } from "../../parse/references/references.ts";
import type { DocumentNode, MapEntry } from "../../trees/document.ts";

/** What reading a document under test needs. */
export interface TargetOptions {
  readonly fileSystem: FileSystem;
  /** What `${NAME}` reads. */
  readonly environment: Readonly<Record<string, string>>;
  /** Files whose resources can be named as if they stood in the document. */
  readonly resources: readonly string[];
}

/** What keys of added resources begin with: none that a pointer would name. */
const addedKey = "resources of ";

/** Whether an entry of a document under test holds the resources of another file. */
export function isAddedResource(key: string): boolean {
  return key.startsWith(addedKey);
}

/** The document at `path`; `undefined` when it or a file of resources got errors, which were reported. */
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
  // Schemas of an API may refer to themselves; processors are only in its extensions.
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
 * Files in which variables are read wherever they stand, mappings included: the reference engine replaces them
 * in the text. Those that are not set and have no default are left for the compiler to report.
 */
function withVariables(fileSystem: FileSystem, environment: Readonly<Record<string, string>>): FileSystem {
  return {
    list: (folder) => fileSystem.list(folder),
    async readFile(path, limit) {
      // One character a byte, so that what is not text stays for the reader to refuse.
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
