// `parquet_decode`: makes messages of the rows of Parquet files.

import type { SchemaTree } from "hyparquet/src/types.js";
import type { Processor } from "../../component/component.ts";
import { toGatewayError } from "../../errors.ts";
import { readParquet } from "../../mapping/parquet.ts";
import type { Message } from "../../message/message.ts";
import { isArray, isObject, type Value } from "../../message/value.ts";
import { type ParquetDecodeOptions, parquetDecodeDefaults } from "../generated/parquet-decode-options.ts";

/**
 * Makes a message of each row, with the attributes of the file's message. A message that is not a valid file continues
 * unchanged, marked as failed.
 */
export function parquetDecode(options: ParquetDecodeOptions): Processor {
  const { use_parquet_list_format: wraps, max_messages: mostRows } = { ...parquetDecodeDefaults, ...options };
  function decoded(message: Message): readonly Message[] {
    try {
      const { rows, schema } = readParquet(message.bytes(), mostRows);
      return rows.map((row) => message.withDocument(wraps ? withWrappedLists(row, schema) : row));
    } catch (error) {
      return [message.withFailure(toGatewayError(error, 500, "the file could not be read as Parquet"))];
    }
  }
  return {
    process(batch) {
      const rows = batch.flatMap(decoded);
      return rows.length === 0 ? [] : [rows];
    },
  };
}

/**
 * Returns lists in the form in which the format stores them: `{"list": [{"element": 1}]}`. Nested lists are not
 * converted.
 */
function withWrappedLists(value: Value, { children }: SchemaTree): Value {
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, each]): readonly [string, Value] => {
    const node = children.find(({ element }) => element.name === key);
    if (node === undefined) return [key, each];
    if (node.element.logical_type?.type !== "LIST") return [key, withWrappedLists(each, node)];
    return [key, isArray(each) ? { list: each.map((element) => ({ element })) } : each];
  });
  return Object.fromEntries(entries);
}
