// What a value is, in the words of a message.

import type { DocumentNode } from "../../trees/document.ts";

/** `a string`, `a number`, `an array`: fits after "must be an object, not". */
export function describeNode(node: DocumentNode): string {
  if (node.kind === "map") return "an object";
  if (node.kind === "list") return "an array";
  switch (typeof node.value) {
    case "string":
      return "a string";
    case "boolean":
      return "a boolean";
    case "number":
    case "bigint":
      return "a number";
    default:
      return "null";
  }
}
