// The texts that campaigns mutate: all tests and examples of each language.

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createSink } from "../../compiler/diagnostics/sink.ts";
import { parseDocument } from "../../compiler/parse/document/parse-document.ts";
import { createSourceFile } from "../../compiler/source/source.ts";
import { toJson } from "../../compiler/trees/document.ts";
import { readRows } from "../conformance/rows.ts";
import { projectRoot } from "../harness/directories.ts";

/** Mappings of the conformance data and of the case folders. */
export function mappingCorpus(): readonly string[] {
  const rows = readRows().flatMap(({ mapping, processors, files }) => [
    mapping,
    ...(processors ?? []).map((step) => step.mapping),
    ...Object.values(files ?? {}),
  ]);
  const texts = read("{test,examples}/**/*.blobl");
  return [...new Set([...rows, ...texts])].filter((text) => text !== "");
}

/** Strings with `${! }` parts. */
export function templateCorpus(): readonly string[] {
  const queries = readRows().filter(({ expression }) => expression === true);
  return [
    ...readRows().flatMap(({ template }) => template ?? []),
    ...queries.map(({ mapping }) => `a \${! ${mapping} } b`),
  ];
}

/** Documents in YAML, gateway files among them. */
export function documentCorpus(): readonly string[] {
  const texts = read("{test,examples}/**/*.{yaml,yml}").filter((text) => text.length < longestDocument);
  const samples = read("compiler/diagnostics/docs/*.md").flatMap((text) =>
    [...text.matchAll(/^```yaml[^\n]*\n(.*?)^```/gms)].map(([, sample = ""]) => sample),
  );
  return [...texts, ...samples];
}

/** The same documents in JSON, if they are well-formed. */
export function jsonCorpus(): readonly string[] {
  return documentCorpus().flatMap((text) => {
    const tree = parseDocument(createSourceFile("corpus.yaml", text), createSink().report);
    return tree === undefined ? [] : JSON.stringify(toJson(tree), undefined, 1);
  });
}

/** Characters. Large tables of data exercise a parser no more than a small document does. */
const longestDocument = 20_000;

function read(pattern: string): readonly string[] {
  const files = globSync(pattern, {
    cwd: projectRoot,
    exclude: (name) => /node_modules|conformance/.test(name),
  });
  // The file system determines the order of a folder's entries.
  return files.sort().map((file) => readFileSync(join(projectRoot, file), "utf8"));
}
