import { type Inspected, inspectText, type WrittenOptions } from "../inspection.ts";
import { compileJq } from "./jq.ts";

/** Why the query of a `jq` processor is none. What it makes of messages depends on them. */
export function inspectJq(options: WrittenOptions): Inspected {
  return inspectText(options, "query", (text) => {
    compileJq(text);
    return undefined;
  });
}
