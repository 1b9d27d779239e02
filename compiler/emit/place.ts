// Where components were written, for what operators are told of what failed there.

import { locate, type Span } from "../source/source.ts";
import { type Code, call, linkTo, literal } from "./code.ts";

/** A component as its document has it. */
export interface Written {
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
