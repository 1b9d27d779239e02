// One API as code: its listen path, its upstream and the factories of its streams.

import { asksForSource } from "../plan/failure-sources.ts";
import type { ApiPlan, ComponentPlan, Origin, StreamPlan, ValuePlan } from "../plan/plan.ts";
import { cite } from "./cite.ts";
import { type Code, code, fragment, hardBreak, indent, join, list, propertyKey, raw } from "./code.ts";
import type { Scripts } from "./scripts.ts";
import { emitComponent, emitValue, readsEnvironment, type ValueContext } from "./value.ts";

/** The definition of an API; the functions of its scripts go to `scripts`. */
export function emitApi(api: ApiPlan, scripts: Scripts): Code {
  const context: ValueContext = { scripts, names: [api.id], path: "", file: api.file };
  const streams = api.streams.map((stream) => citing(stream.origin, undefined, emitStream(stream, context)));
  return entries([
    code`id: ${api.id}`,
    ...(api.name === undefined ? [] : [code`name: ${api.name}`]),
    code`listenPath: ${api.listenPath}`,
    ...(api.upstream === undefined ? [] : [code`upstream: ${emitRead(api.upstream, context)}`]),
    code`streams: ${streams.length === 0 ? raw("{}") : entries(streams)}`,
  ]);
}

/** A value that is read when the gateway starts, as a function of the environment. */
export function emitRead(value: ValuePlan, context: ValueContext): Code {
  const written = emitValue(value, context);
  // The brace of a bare object would begin a block.
  return code`${parameters([value])} => ${value.kind === "Object" ? code`(${written})` : written}`;
}

function emitStream(stream: StreamPlan, context: ValueContext): Code {
  const { input, pipeline, output, errorHandling } = stream;
  const values = [input, ...pipeline, output, ...(errorHandling === undefined ? [] : [errorHandling])];
  const inside = {
    ...context,
    names: [...context.names, stream.name],
    path: stream.origin.path,
    namesSources: asksForSource(stream),
  };
  const steps = pipeline.map((step) => emitComponent(step, inside));
  const parts = entries([
    citing(input.origin, input.label, code`input: ${emitComponent(input, inside)}`),
    ...(steps.length === 0 ? [] : [code`pipeline: ${list("[", steps, "]")}`]),
    citing(output.origin, output.label, code`output: ${emitComponent(output, inside)}`),
    ...(errorHandling === undefined ? [] : [code`errorHandling: ${emitValue(errorHandling, inside)}`]),
  ]);
  return code`${propertyKey(stream.name)}: ${parameters(values)} => (${parts})`;
}

function parameters(values: readonly (ValuePlan | ComponentPlan)[]): Code {
  return raw(values.some(readsEnvironment) ? "(env)" : "()");
}

/** An object with every entry on a line of its own. */
function entries(written: readonly Code[]): Code {
  const lines = written.map((entry) => join([entry, raw(",")]));
  return join([
    raw("{"),
    indent(fragment([hardBreak]), join(lines, fragment([hardBreak]))),
    fragment([hardBreak]),
    raw("}"),
  ]);
}

/** `what`, below a line that says where it was written. */
function citing(origin: Origin, label: string | undefined, what: Code): Code {
  return join([cite(origin.span, label), fragment([hardBreak]), what]);
}
