// Mappings around an input or an output that read and write trace fields in the document, or in metadata with other
// names. Used by `extract_tracing_map`, `new_root_span_with_link` and `inject_tracing_map`.

import { preparationOf, sequencesOf, wrapOutput } from "../../component/children.ts";
import type { ComponentContext, Input, Output } from "../../component/component.ts";
import { notConnected } from "../../component/persistence.ts";
import { type Batch, Message, type TraceFields, type TraceParent } from "../../message/message.ts";
import { isObject, type Value } from "../../message/value.ts";
import { logFailure, type MappingFunction, type ResultMapFunction } from "../functions.ts";

/**
 * Returns an input whose messages belong to the trace that `map` returns: an object with the texts `traceparent` and
 * `tracestate`, in any case. If it returns no trace for a message, the message begins a new one.
 */
export function inputWithExtractedTraces(input: Input, map: MappingFunction): Input {
  return changing(input, (batch, context) =>
    batch.map((message, index) => message.withParentTrace(extract(map, batch, index, context))),
  );
}

/**
 * Returns an input whose messages begin new traces, with a link to the incoming trace: the result of
 * `extract_tracing_map`, otherwise the trace in their metadata.
 */
export function inputWithLinkedTraces(input: Input, isOn: boolean): Input {
  if (!isOn) return input;
  return changing(input, (batch) =>
    batch.map((message) => {
      const { metadata, parentTrace = traceOf(metadata) } = message;
      return message.withParentTrace({ ...parentTrace, isLinked: true });
    }),
  );
}

/** Returns the input with each message replaced by `change`. */
function changing(input: Input, change: (batch: Batch, context: ComponentContext) => Batch): Input {
  const { positions } = input;
  const start: Input["start"] = (context) =>
    input.start({ ...context, deliver: (batch) => context.deliver(change(batch, context)) });
  return {
    ...(input.endpoints && { endpoints: input.endpoints }),
    isServer: input.isServer === true,
    ...preparationOf([input]),
    ...sequencesOf([input]),
    start,
    close: () => input.close(),
    lag: () => input.lag?.(),
    ...(positions && {
      positions: {
        undelivered: (isHanded, part) => positions.undelivered(isHanded, part),
        from(at) {
          const replay = positions.from(at);
          const { collects } = replay;
          return {
            ...changing(replay, change),
            undelivered: (isHanded) => replay.undelivered(isHanded),
            ends: () => replay.ends(),
            ...(collects !== undefined && { collects }),
          };
        },
      },
    }),
  };
}

function extract(map: MappingFunction, batch: Batch, index: number, context: ComponentContext): TraceParent {
  try {
    const made = map(batch, index)?.document();
    return made === undefined || !isObject(made) ? {} : traceOf(Object.entries(made));
  } catch (error) {
    logFailure(context, "the trace of a message", error);
    return {};
  }
}

/** Returns the texts of the two fields. The case of their names does not matter. */
function traceOf(fields: Iterable<readonly [name: string, value: Value]>): TraceParent {
  const texts = new Map<string, Value>();
  for (const [name, value] of fields) texts.set(name.toLowerCase(), value);
  const textOf = (name: keyof TraceFields) => {
    const value = texts.get(name);
    return typeof value === "string" ? { [name]: value } : {};
  };
  return { ...textOf("traceparent"), ...textOf("tracestate") };
}

/**
 * Returns an output that adds the trace of each message with `map`. In `map`, `this` is an object with `traceparent`
 * and optionally `tracestate`, empty if the gateway records no traces. A message is written unchanged if `map` fails on
 * it or deletes it.
 */
export function outputWithInjectedTraces(output: Output, map: ResultMapFunction): Output {
  let context: ComponentContext | undefined;
  return wrapOutput(output, {
    start(given) {
      context = given;
      return output.start(given);
    },
    async write(batch) {
      if (context === undefined) throw notConnected();
      const traces = batch.map(({ trace }) => noContent.withDocument({ ...trace }));
      return output.write(inject(map, traces, batch, context));
    },
  });
}

const noContent = Message.fromText("");

function inject(map: ResultMapFunction, traces: Batch, batch: Batch, context: ComponentContext): Batch {
  return batch.map((message, index) => {
    try {
      return map(traces, batch, index) ?? message;
    } catch (error) {
      logFailure(context, "the trace of a written message", error);
      return message;
    }
  });
}
