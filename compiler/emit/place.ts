// Where components were written, for reports to operators of what failed there.

import type { ComponentPlan } from "../plan/plan.ts";
import { locate, type Span } from "../source/source.ts";
import { type Code, call, comment, linkTo, literal } from "./code.ts";

/** A component as its document has it. */
interface Written {
  readonly span: Span;
  readonly path: string;
  readonly label?: string | undefined;
}

/** `placed(mapping(intakeMapping), "orders.yaml:22", "pipeline.processors[0].mapping")` */
export function emitPlaced(made: Code, written: Written): Code {
  return call(linkTo("runtime/failures/place.ts", "placed"), [made, ...placeOf(written)]);
}

/** File and line, and the label or the path within the stream. */
export function placeOf({ span, path, label }: Written): readonly [at: Code, component: Code] {
  const { file, start } = locate(span);
  const within = path.replace(/^.*?\bstreams\.[^.]+\./, "");
  return [literal(`${file.path}:${start.line}`), literal(label ?? within)];
}

/** `// orders.yaml:22  what` */
export function cite(span: Span, what = ""): Code {
  const { file, start } = locate(span);
  return comment(`${file.path}:${start.line}${what === "" ? "" : `  ${what}`}`);
}

/** `withSource(processor, { label: "enrich", path: "pipeline.processors.0", type: "branch" })` */
export function emitSource(processor: Code, { name, label = "", origin }: ComponentPlan): Code {
  const source = literal({ label, path: referencePath(origin.path), type: name });
  return call(linkTo("runtime/processors/with-source.ts", "withSource"), [processor, source]);
}

/** As `error_source_path()` gives it in the reference: from the root of a stream to the entry that holds the component. */
function referencePath(path: string): string {
  const dotted = path.replace(/\.\w+$/, "").replace(/\[(\d+)\]/g, ".$1");
  return dotted.replace(/^.*?\bstreams\.[^.]+\./, "");
}
