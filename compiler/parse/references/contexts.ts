// Where in a document `$ref` is a reference, and where it is only data, as in an example.

/**
 * What the keys of an object are: fields of the format, names given by the user, named examples, one
 * example, or plain data.
 */
export type FieldContext = "fields" | "names" | "examples" | "example" | "data";

/** Fields whose objects have names of the user's choice as keys. */
const nameFields = new Set([
  "$defs",
  "callbacks",
  "components",
  "content",
  "definitions",
  "dependentSchemas",
  "encoding",
  "headers",
  "links",
  "mapping",
  "parameters",
  "pathItems",
  "paths",
  "patternProperties",
  "properties",
  "requestBodies",
  "responses",
  "schemas",
  "securitySchemes",
  "streams",
  "variables",
  "webhooks",
]);

const dataFields = new Set(["const", "default", "enum", "example"]);

/** The context of the value under `key` of an object in `context`; `isList` tells lists from objects. */
export function contextUnder(context: FieldContext, key: string, isList: boolean): FieldContext {
  switch (context) {
    case "data":
      return "data";
    case "names":
      return "fields";
    case "examples":
      return "example";
    case "example":
      return key === "value" ? "data" : "fields";
    case "fields":
      if (dataFields.has(key) || isForeignExtension(key)) return "data";
      if (key === "examples") return isList ? "data" : "examples";
      return nameFields.has(key) && !isList ? "names" : "fields";
  }
}

/** `x-…` of other tools: what `$ref` means in it is theirs to say. */
function isForeignExtension(key: string): boolean {
  return key.startsWith("x-") && !key.startsWith("x-gw-") && !key.startsWith("x-tyk-");
}
