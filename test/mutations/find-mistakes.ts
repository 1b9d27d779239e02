// Makes each kind of mistake in correct documents, and records which ones the checker reports.

import { checkDocuments } from "../../compiler/compile.ts";
import { describeDiagnostics } from "../../compiler/diagnostics/render/json.ts";
import { createMemoryFileSystem } from "../../compiler/parse/document/file-system.ts";
import { type CorrectDocument, type Kind, lineAt, type Mutation } from "./mutation.ts";

/** One mistake in one document, and its result. */
export interface Attempt {
  readonly document: string;
  /** The place of the mistake, such as `orders.yaml:7`. */
  readonly place: string;
  /** The original characters, and their replacement. */
  readonly before: string;
  readonly after: string;
  /** Every error and warning, such as `GW4001 at orders.yaml:7`. */
  readonly reported: readonly string[];
  readonly isFound: boolean;
}

/** All attempts of one kind. */
export interface KindResult {
  readonly kind: string;
  readonly attempts: readonly Attempt[];
}

/** Makes each kind of mistake at most `mostPerKind` times, spread over all places of all documents. */
export async function findMistakes(
  kinds: readonly Kind[],
  documents: readonly CorrectDocument[],
  mostPerKind: number,
): Promise<readonly KindResult[]> {
  const results: KindResult[] = [];
  for (const kind of kinds) {
    const places = documents.flatMap((document) =>
      Array.from(kind.mutations(document), (mutation) => ({ document, mutation })),
    );
    const attempts: Attempt[] = [];
    for (const { document, mutation } of spread(places, mostPerKind))
      attempts.push(await attempt(document, mutation));
    results.push({ kind: kind.name, attempts });
  }
  return results;
}

/** Returns some of many items, evenly from the first to the last; always the same ones. */
function spread<T>(all: readonly T[], most: number): readonly T[] {
  if (all.length <= most) return all;
  return Array.from(
    { length: most },
    (_, index) => all[Math.round((index * (all.length - 1)) / (most - 1))],
  ).filter((each) => each !== undefined);
}

async function attempt(document: CorrectDocument, mutation: Mutation): Promise<Attempt> {
  const { file, start, end, text } = mutation;
  const before = document.files.get(file) ?? "";
  const changed = before.slice(0, start) + text + before.slice(end);
  const fileSystem = createMemoryFileSystem({ ...Object.fromEntries(document.files), [file]: changed });
  const { diagnostics } = await checkDocuments([document.entry], { fileSystem });
  const reported = describeDiagnostics(diagnostics).filter(({ severity }) => severity !== "info");
  const line = lineAt(changed, start);
  const { lines: given = linesOf(line, text), shownIn = file } = mutation;
  const shown = shownIn === file ? changed : (document.files.get(shownIn) ?? "");
  const lines = new Set(typeof given === "function" ? given(shown) : given);
  return {
    document: document.name,
    place: `${file}:${line}`,
    before: before.slice(start, end),
    after: text,
    reported: reported.map((each) => `${each.code} at ${each.file}:${each.line}`),
    isFound: reported.some((each) => each.file === shownIn && lines.has(each.line)),
  };
}

function linesOf(first: number, text: string): readonly number[] {
  return text
    .trimEnd()
    .split("\n")
    .map((_, index) => first + index);
}
