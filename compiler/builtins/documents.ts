// Documents queried, validated and compared; the code is in runtime/mapping/json-path.ts, json-schema.ts,
// changes.ts, nested.ts.

import { type Builtin, method, parameter } from "./builtin.ts";
import { changes } from "./results/shapes.ts";
import { sameAsTarget } from "./results/target.ts";

export const documents: readonly Builtin[] = [
  method("nested.ts", "bloblang", "The value through a mapping that is a text.", {
    pure: false,
    args: [parameter("mapping", "string")],
    capability: "compiler",
    state: { symbol: "createNested", when: "always" },
  }),
  method("json-path.ts", "json_path", "What a JSONPath expression finds.", {
    plugin: true,
    args: [parameter("expression", "string")],
    rule: "jsonPath",
    state: { symbol: "createQuery", when: "literal" },
  }),
  method("json-schema.ts", "json_schema", "The value itself, where it fits a JSON Schema.", {
    args: [parameter("schema", "string")],
    result: sameAsTarget,
    rule: "jsonSchema",
    state: { symbol: "createSchema", when: "literal" },
  }),
  method("changes.ts", "diff", "The changes that lead to another value.", {
    plugin: true,
    args: [parameter("other", "any")],
    result: changes,
  }),
  method("changes.ts", "patch", "The value with a list of changes made.", {
    plugin: true,
    args: [parameter("changelog", "array")],
  }),
];
