// `jq`: messages through a query of jq.

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

/** A query that may be run on values. */
type JqProgram = (input: JqValue, metadata: JqValue, mostSteps: number) => readonly JqValue[];

/** Compiles a query. Throws a `JqSyntaxError` where it is not one. */
export function compileJq(text: string): JqProgram {
  const filter = compileQuery(parseQuery(text), naming(undefined, "value", "$metadata"));
  return (input, metadata, mostSteps) => {
    let allowance = 0;
    for (const value of [input, metadata])
      eachCost(value, (cost) => {
        allowance += 2 * cost; // they are read, and may be written
      });
    const run = new Run(mostSteps, allowance);
    return run.within(() => runFilter(filter, input, metadata, run));
  };
}

function runFilter(filter: Filter, input: JqValue, metadata: JqValue, run: Run): readonly JqValue[] {
  const values: JqValue[] = [];
  try {
    filter({ run, outer: undefined, held: metadata }, input, undefined, (value) => {
      // A value may hold another one many times, and so be far larger than what it took to make it.
      eachCost(value, (cost) => run.step(cost));
      values.push(value);
    });
    return values;
  } catch (error) {
    // The engine's stack or its longest string: both are reached by what a message holds.
    if (error instanceof RangeError)
      throw new MappingError("jq: the query goes too deep, or its result is too large");
    throw error;
  }
}

/**
 * Replaces each message by what the query makes of it, several values by an array of them; where it makes nothing, the
 * message is dropped. `$metadata` has the metadata of the message.
 */
export function jq(options: JqOptions): Processor {
  const { query, raw, output_raw: outputRaw, max_steps: mostSteps } = { ...jqDefaults, ...options };
  // Known to be a query since the gateway was built.
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

/** Why the query of a `jq` processor is not one. What it makes of messages depends on them. */
export function inspectJq(options: WrittenOptions): Inspected {
  return inspectText(options, "query", (text) => {
    compileJq(text);
    return undefined;
  });
}
