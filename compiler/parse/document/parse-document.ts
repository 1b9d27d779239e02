// Parses a source file, JSON or YAML, into a tree with source ranges.

import type { Report } from "../../diagnostics/sink.ts";
import { isJson, type SourceFile } from "../../source/source.ts";
import type { DocumentNode } from "../../trees/document.ts";
import { parseJson } from "../json/parse-json.ts";
import { skimJson } from "../json/skim-json.ts";
import { parseYaml } from "../yaml/parse-yaml.ts";

/** The size in characters above which a JSON file is only read on demand. */
const largeText = 1_000_000;

/**
 * Returns the tree of a document; `undefined` if the errors that were reported leave nothing to check. A file is JSON
 * if its name ends in `.json`, or if its text begins with `{` or `[` and its name has no YAML ending.
 */
export function parseDocument(file: SourceFile, report: Report): DocumentNode | undefined {
  if (!isJson(file)) return parseYaml(file, report);
  const skimmed = file.text.length > largeText ? skimJson(file, report) : undefined;
  return skimmed ?? parseJson(file, report);
}
