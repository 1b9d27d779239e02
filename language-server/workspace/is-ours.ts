// Whether an open document is for the compiler at all: editors hand over YAML of every kind.

import { isTestFile } from "../../compiler/embed/unit-tests/check-cases.ts";
import { isMappingName } from "../analysis/analyse-mapping.ts";
import { isSettingsName } from "./find-sets.ts";

const yamlKey =
  /^(?:["']?)(?:openapi|x-(?:gw|tyk)-streaming|x-(?:gw|tyk)-api-gateway|apis|input|output|pipeline)(?:["']?)[ \t]*:/m;
const jsonKey = /"(?:openapi|x-(?:gw|tyk)-streaming|apis|input|output|pipeline)"\s*:/;

/** Characters from the beginning of a large document that are looked at. */
const looked = 200_000;

/** True for mappings, sets, OpenAPI documents, bare streams and unit tests. */
export function isOurs(path: string, text: string): boolean {
  if (isMappingName(path) || isSettingsName(path)) return true;
  const head = text.slice(0, looked).replace(/^\uFEFF/, "");
  const isDocument = /^\s*\{/.test(head) ? jsonKey.test(head) : yamlKey.test(head);
  return isDocument || isTestFile(path, head);
}
