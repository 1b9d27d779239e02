// Finds names of a set in unit tests: labels of processors and names of streams that tests run and mock. Tests are
// not part of a check, so their files are read on demand.

import { type DefinitionFile, findDefinitions } from "../../compiler/embed/unit-tests/find-definitions.ts";
import { readTests, type UnitTest } from "../../compiler/model/unit-tests.ts";
import type { FileSystem } from "../../compiler/parse/document/file-system.ts";
import { maximumBytes } from "../../compiler/parse/document/limits.ts";
import { parseDocument } from "../../compiler/parse/document/parse-document.ts";
import { folderOf, resolvePath } from "../../compiler/parse/document/paths.ts";
import { readSourceFile } from "../../compiler/parse/document/read-file.ts";
import { type SourceText, type Span, spanOf } from "../../compiler/source/source.ts";
import { absolutePath } from "../workspace/paths.ts";
import type { Named } from "./collected-names.ts";

/** Returns the uses of a name in the unit tests below the folders of its declarations. */
export async function usesInTests(named: Named, fileSystem: FileSystem): Promise<readonly Span[]> {
  if (named.kind !== "resource" && named.kind !== "label" && named.kind !== "stream") return [];
  const documents = new Set(named.declarations.map(({ source }) => absolutePath(source.file.path)));
  const definitions = new Map<string, DefinitionFile>();
  for (const document of documents)
    for (const each of await findDefinitions([document, folderOf(document)], fileSystem))
      if (each.target !== each.file || each.file === document) definitions.set(each.file, each);
  const found: Span[] = [];
  for (const { file, target } of definitions.values())
    for (const { text, owner, span } of targetsIn(await readFile(file, fileSystem), file, target))
      if (documents.has(absolutePath(owner))) found.push(...usesIn(text, named, span));
  return found;
}

async function readFile(path: string, fileSystem: FileSystem): Promise<readonly UnitTest[]> {
  const silent = () => {};
  const file = await readSourceFile(path, { fileSystem, limit: maximumBytes, report: silent });
  const root = file && /\btests\b/.test(file.text) ? parseDocument(file, silent) : undefined;
  return root === undefined ? [] : readTests(root);
}

interface Target {
  /** A label or a JSON pointer, in the document `owner`. */
  readonly text: string;
  readonly owner: string;
  /** Returns the source range of a part of the text. */
  readonly span: (start: number, end: number) => Span;
}

/** Returns the labels and pointers that tests run and replace. */
function targetsIn(tests: readonly UnitTest[], file: string, target: string): readonly Target[] {
  const found: Target[] = [];
  for (const { processorsEntry, mocks } of tests) {
    const node = processorsEntry?.value;
    const own = node?.kind === "scalar" && typeof node.value === "string" ? node : undefined;
    const [path = "", ...rest] = own === undefined ? [] : String(own.value).split("#");
    const owner = rest.length > 0 ? resolvePath(file, path) : target;
    if (own !== undefined) {
      const from = rest.length > 0 ? path.length + 1 : 0;
      found.push(targetOf(String(own.value).slice(from), owner, own.text, from));
    }
    for (const { key, keySpan } of mocks) {
      const isQuoted = /^["']/.test(keySpan.source.text.slice(keySpan.start, keySpan.end));
      found.push(targetOf(key, owner, keySpan.source, keySpan.start + (isQuoted ? 1 : 0)));
    }
  }
  return found;
}

function targetOf(text: string, owner: string, source: SourceText, offset: number): Target {
  return { text, owner, span: (start, end) => spanOf(source, offset + start, offset + end) };
}

/** Returns the uses of a name in a text: `shout`, or `intake` in `/x-gw-streaming/streams/intake/pipeline`. */
function usesIn(text: string, { kind, name }: Named, span: Target["span"]): readonly Span[] {
  if (kind !== "stream") return text === name ? [span(0, text.length)] : [];
  const before = /^\/x-(?:gw|tyk)-streaming\/streams\//.exec(text)?.[0].length;
  if (before === undefined || text.slice(before).split("/", 1)[0] !== name) return [];
  return [span(before, before + name.length)];
}
