import { type Inspected, inspectText, type WrittenOptions } from "../inspection.ts";
import { compileJmespath } from "./parser.ts";

/** Why the expression of a `jmespath` processor is none. */
export function inspectJmespath(options: WrittenOptions): Inspected {
  return inspectText(options, "query", (text) => {
    compileJmespath(text);
    return undefined;
  });
}
