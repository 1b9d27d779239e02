// Finds the mapping at a position of a document.

import { isMap, isScalar, type Node, type Pair, parseDocument, visit } from "yaml";

/** Fields that contain mappings. */
const mappingFields: ReadonlySet<string> = new Set([
  ...[
    "mapping",
    "mutation",
    "bloblang",
    "request_map",
    "result_map",
    "timestamp_mapping",
    "args_mapping",
    "extract_tracing_map",
    "fields_mapping",
    "inject_tracing_map",
  ],
  ...["keys_mapping", "application_properties_map", "check", "skip_on"],
]);

/** Returns the mapping or query around an offset of a YAML or JSON document; `undefined` if there is none. */
export function mappingAt(text: string, offset: number): string | undefined {
  const document = parseDocument(text, { logLevel: "silent" });
  let found: string | undefined;
  visit(document, {
    Pair(_, { key, value }: Pair) {
      if (!isScalar(key) || !mappingFields.has(String(key.value)) || !isScalar(value)) return;
      const start = (key as Node).range?.[0] ?? 0;
      const end = value.range?.[2] ?? 0;
      if (start <= offset && offset <= end && typeof value.value === "string") found = value.value;
    },
  });
  return found;
}

/** Returns the first message of a document's tests, as an initial sample. */
export function firstSample(text: string): string | undefined {
  const document = parseDocument(text, { logLevel: "silent" });
  const sample = document.getIn(["tests", 0, "input_batch", 0, "json_content"], true);
  if (isMap(sample)) return JSON.stringify(sample.toJSON());
  const content = document.getIn(["tests", 0, "input_batch", 0, "content"]);
  return typeof content === "string" ? content : undefined;
}
