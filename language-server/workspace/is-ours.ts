// Decides whether an open document is relevant for the compiler, since editors send YAML files of every kind.

import { isTestFile } from "../../compiler/embed/unit-tests/check-cases.ts";
import { isMappingName } from "../analysis/analyse-mapping.ts";
import { isSettingsName } from "./find-sets.ts";

const keys = "openapi|x-(?:gw|tyk)-streaming|x-(?:gw|tyk)-api-gateway|apis|input|output|pipeline";
const blockKey = new RegExp(`^(?:["']?)(?:${keys})(?:["']?)[ \\t]*:`, "m");
/** For JSON and flow style, in which the outer map begins with a bracket. */
const flowKey = new RegExp(`[{,]\\s*(["']?)(?:${keys})\\1\\s*:`);

/** Matches the text before the outer map: a byte order mark, comments, directives, a document marker. */
const beforeMap = /^(?:\uFEFF|\s|#.*|%.*|---(?=\s))+/;

/** The number of characters at the beginning of a large document that are examined. */
const looked = 200_000;

/** Whether a document is a mapping, a set, an OpenAPI document, a bare stream or a file of unit tests. */
export function isOurs(path: string, text: string): boolean {
  if (isMappingName(path) || isSettingsName(path)) return true;
  const head = text.slice(0, looked).replace(beforeMap, "");
  const isDocument = (head.startsWith("{") ? flowKey : blockKey).test(head);
  return isDocument || isTestFile(path, head);
}

/** Whether a document has no more than the beginning of its first key, so that it may become one of the compiler's. */
export function isUnwritten(path: string, text: string): boolean {
  if (!/\.(?:ya?ml|json)$/i.test(path) || text.length > longestStart) return false;
  return /^(?:[\w-]*|\{\s*(?:"[\w-]*"?|[\w-]*)\s*\}?)\s*$/.test(text.replace(beforeMap, ""));
}

/** The longest text before the first key, such as a license, in characters. */
const longestStart = 10_000;
