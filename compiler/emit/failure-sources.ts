// Names of processors for streams whose scripts ask which one failed on a message; the processors of all
// other streams carry none. In comes the code of a processor, out comes the code wrapped.

import type { ComponentPlan } from "../plan/plan.ts";
import { type Code, call, linkTo, literal } from "./code.ts";

/** `withSource(processor, { label: "enrich", path: "root.pipeline.processors.0", type: "branch" })` */
export function emitSource(processor: Code, { name, label = "", origin }: ComponentPlan): Code {
  const source = literal({ label, path: referencePath(origin.path), type: name });
  return call(linkTo("runtime/processors/with-source.ts", "withSource"), [processor, source]);
}

/** As the reference counts: from the root of a stream to the entry that holds the component. */
function referencePath(path: string): string {
  const dotted = path.replace(/\.\w+$/, "").replace(/\[(\d+)\]/g, ".$1");
  return `root.${dotted.replace(/^.*?\bstreams\.[^.]+\./, "")}`;
}
