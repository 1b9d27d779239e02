// `parse_parquet`: a whole file, held in memory, as an array of rows.

import { parquetMetadata, parquetSchema } from "hyparquet";
import { getMaxDefinitionLevel, getMaxRepetitionLevel, getTreePath } from "hyparquet/src/schema.js";
import type { RowGroup, SchemaTree } from "hyparquet/src/types.js";
import { MappingError } from "../errors.ts";
import type { Value } from "../message/value.ts";
import { boolArgument, pluginBytes } from "./arguments.ts";
import { type Column, readColumn } from "./parquet-pages.ts";
import { createCursors, leavesOf, readRow } from "./parquet-rows.ts";

/** `.parse_parquet(byte_array_as_string)`: the parameter no longer means anything, as in the reference. */
export function parseParquet(target: Value, _from: string, asString: Value): readonly Value[] {
  boolArgument("method 'parse_parquet'", "byte_array_as_string", asString);
  // A copy in a buffer of its own: what a broken file points at outside of it must not be other messages.
  const file = new Uint8Array(pluginBytes(target));
  try {
    return readFile(file);
  } catch (error) {
    // The library and views of bytes answer broken files with errors of many classes.
    if (error instanceof MappingError || !(error instanceof Error)) throw error;
    throw new MappingError(error.message.startsWith("parquet") ? error.message : `parquet: ${error.message}`);
  }
}

function readFile(file: Uint8Array): readonly Value[] {
  const metadata = parquetMetadata(file, { geoparquet: false });
  const root = parquetSchema(metadata);
  return metadata.row_groups.flatMap((group) => readRowGroup(file, root, group));
}

function readRowGroup(file: Uint8Array, root: SchemaTree, group: RowGroup): readonly Value[] {
  // A schema without columns may claim any number of rows, as nothing has to be there for them.
  if (root.children.length === 0) throw new MappingError("parquet: file has no columns");
  const columns = readColumns(file, root, group);
  const missing = leavesOf(root).find((leaf) => !columns.has(leaf));
  if (missing !== undefined) throw new MappingError(`parquet: column ${missing.path.join(".")} is missing`);
  const cursors = createCursors(columns);
  const rows: Value[] = [];
  for (let row = 0; row < Number(group.num_rows); row++) rows.push(readRow(root, cursors));
  return rows;
}

function readColumns(
  file: Uint8Array,
  root: SchemaTree,
  { columns }: RowGroup,
): ReadonlyMap<SchemaTree, Column> {
  const read = new Map<SchemaTree, Column>();
  for (const { meta_data: metadata } of columns) {
    if (metadata === undefined) throw new MappingError("parquet: file is encrypted");
    const path = getTreePath(root, metadata.path_in_schema);
    const leaf = path.at(-1) ?? root;
    const physical = { type: metadata.type, length: leaf.element.type_length };
    const levels = { definition: getMaxDefinitionLevel(path), repetition: getMaxRepetitionLevel(path) };
    read.set(leaf, readColumn(file, metadata, { ...physical, ...levels }));
  }
  return read;
}
