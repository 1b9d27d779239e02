// `jq`: transforms messages with a jq query.

import type { Processor } from "../../component/component.ts";
import { MappingError, toGatewayError } from "../../errors.ts";
import { encodeJson } from "../../message/json-bytes.ts";
import type { Message } from "../../message/message.ts";
import { decodeUtf8, encodeUtf8 } from "../../text/utf8.ts";
import { asDocument, documentOf } from "../formats/converting.ts";
import { type JqOptions, jqDefaults } from "../generated/jq-options.ts";
import { type Inspected, inspectText, type WrittenOptions } from "../inspection.ts";
import { compileQuery } from "./compile.ts";
import type { Filter } from "./filter.ts";
import { naming } from "./names.ts";
import { parseQuery } from "./parser.ts";
import { Run } from "./run.ts";
import { eachCost, fromDocument, type JqValue, toDocument } from "./values.ts";

/** A compiled query. */
type JqProgram = (input: JqValue, metadata: JqValue, mostSteps: number) => readonly JqValue[];

/** Compiles a query. Throws a `JqSyntaxError` if it is invalid. */
export function compileJq(text: string): JqProgram {
  const filter = compileQuery(parseQuery(text), naming(undefined, "value", "$metadata"));
  return (input, metadata, mostSteps) => {
    let allowance = 0;
    for (const value of [input, metadata])
      eachCost(value, (cost) => {
        allowance += 2 * cost; // The message and its metadata are read, and may be written.
      });
    const run = new Run("jq: the query", mostSteps, allowance);
    return run.within(() => runFilter(filter, input, metadata, run));
  };
}

function runFilter(filter: Filter, input: JqValue, metadata: JqValue, run: Run): readonly JqValue[] {
  const values: JqValue[] = [];
  try {
    filter({ run, outer: undefined, held: metadata }, input, undefined, (value) => {
      // A value may contain another one many times, and so be much larger than the cost of making it.
      eachCost(value, (cost) => run.step(cost));
      values.push(value);
    });
    return values;
  } catch (error) {
    // The nesting or the size of a message can exceed the JavaScript engine's stack or longest string.
    if (error instanceof RangeError)
      throw new MappingError("jq: the query goes too deep, or its result is too large");
    throw error;
  }
}

/**
 * Replaces each message by the result of the query. Several values become an array. If there is no value, the message
 * is dropped. `$metadata` is the metadata of the message.
 */
export function jq(options: JqOptions): Processor {
  const { query, raw, output_raw: outputRaw, max_steps: mostSteps } = { ...jqDefaults, ...options };
  // The query was validated when the gateway was built.
  const compiled = compileJq(query);
  function transformed(message: Message): readonly Message[] {
    try {
      const input = raw ? decodeUtf8(message.bytes()) : fromDocument(documentOf(message, ""));
      const metadata = Object.fromEntries(
        [...message.metadata].map(([key, value]) => [key, fromDocument(value)]),
      );
      const values = compiled(input, metadata, mostSteps);
      if (values.length === 0) return [];
      if (outputRaw) return [message.withBytes(Buffer.concat(values.map(rawBytes)))];
      const [first = null] = values;
      return [asDocument(message, toDocument(values.length === 1 ? first : values))];
    } catch (error) {
      return [message.withFailure(toGatewayError(error, 500, "the query failed on the message"))];
    }
  }
  return {
    process(batch) {
      const results = batch.flatMap(transformed);
      return results.length === 0 ? [] : [results];
    },
  };
}

function rawBytes(value: JqValue): Uint8Array {
  return typeof value === "string" ? encodeUtf8(value) : encodeJson(toDocument(value));
}

/**
 * Returns the problems in the query of a `jq` processor. The type of its results is unknown, because it depends on the
 * messages.
 */
export function inspectJq(options: WrittenOptions): Inspected {
  return inspectText(options, "query", (text) => {
    compileJq(text);
    return undefined;
  });
}
