// A source file in, its located tree out, whichever of the two formats it is written in.

import type { Report } from "../../diagnostics/sink.ts";
import { isJson, type SourceFile } from "../../source/source.ts";
import type { DocumentNode } from "../../trees/document.ts";
import { parseJson } from "../json/parse-json.ts";
import { skimJson } from "../json/skim-json.ts";
import { parseYaml } from "../yaml/parse-yaml.ts";

/** Characters of a JSON file above which only what is looked at is read. */
const largeText = 1_000_000;

/**
 * The tree of a document; `undefined` when errors were reported that leave nothing to look at. JSON is what
 * ends in `.json`, or begins with `{` or `[` and has no YAML ending.
 */
export function parseDocument(file: SourceFile, report: Report): DocumentNode | undefined {
  if (!isJson(file)) return parseYaml(file, report);
  const skimmed = file.text.length > largeText ? skimJson(file, report) : undefined;
  return skimmed ?? parseJson(file, report);
}
