// Whether an open document is for the compiler at all: editors hand over YAML of every kind.

import { isTestFile } from "../../compiler/embed/unit-tests/check-cases.ts";
import { isMappingName } from "../analysis/analyse-mapping.ts";
import { isSettingsName } from "./find-sets.ts";

const keys = "openapi|x-(?:gw|tyk)-streaming|x-(?:gw|tyk)-api-gateway|apis|input|output|pipeline";
const blockKey = new RegExp(`^(?:["']?)(?:${keys})(?:["']?)[ \\t]*:`, "m");
/** In JSON and in flow style, where the outer map begins with a bracket. */
const flowKey = new RegExp(`[{,]\\s*(["']?)(?:${keys})\\1\\s*:`);

/** What may stand in front of the outer map: a mark, comments, directives, the beginning of a document. */
const beforeMap = /^(?:\uFEFF|\s|#.*|%.*|---(?=\s))+/;

/** Characters from the beginning of a large document that are looked at. */
const looked = 200_000;

/** True for mappings, sets, OpenAPI documents, bare streams and unit tests. */
export function isOurs(path: string, text: string): boolean {
  if (isMappingName(path) || isSettingsName(path)) return true;
  const head = text.slice(0, looked).replace(beforeMap, "");
  const isDocument = (head.startsWith("{") ? flowKey : blockKey).test(head);
  return isDocument || isTestFile(path, head);
}
