// Emits the places where components are written, for failure reports to operators.

import type { ComponentPlan } from "../plan/plan.ts";
import { locate, type Span } from "../source/source.ts";
import { type Code, call, comment, linkTo, literal } from "./code.ts";

/** A component and its place in the document. */
interface Written {
  readonly span: Span;
  readonly path: string;
  readonly label?: string | undefined;
}

/** `placed(mapping(intakeMapping), "orders.yaml:22", "pipeline.processors[0].mapping")` */
export function emitPlaced(made: Code, written: Written): Code {
  return call(linkTo("runtime/failures/place.ts", "placed"), [made, ...placeOf(written)]);
}

/** Returns the file and line, and the label or the path within the stream. */
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

/**
 * Returns the path as the reference's `error_source_path()` does: from the root of a stream to the component's entry.
 */
function referencePath(path: string): string {
  const dotted = path.replace(/\.\w+$/, "").replace(/\[(\d+)\]/g, ".$1");
  return dotted.replace(/^.*?\bstreams\.[^.]+\./, "");
}
