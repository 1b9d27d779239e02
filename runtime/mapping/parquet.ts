// `parse_parquet`: returns a whole file, held in memory, as an array of rows.

import { parquetMetadata, parquetSchema } from "hyparquet";
import { getMaxDefinitionLevel, getMaxRepetitionLevel, getTreePath } from "hyparquet/src/schema.js";
import type { RowGroup, SchemaElement, SchemaTree } from "hyparquet/src/types.js";
import { MappingError } from "../errors.ts";
import { parseJsonText } from "../message/json.ts";
import { SizedNumber, Unsigned, type Value } from "../message/value.ts";
import { decodeUtf8 } from "../text/utf8.ts";
import { boolArgument, pluginBytes } from "./arguments.ts";
import { DecodingBudget } from "./decoding-budget.ts";
import { float, integer } from "./numeric.ts";
import type { RawValue } from "./parquet-encodings.ts";
import { type Column, readColumn } from "./parquet-pages.ts";
import { checkStructure } from "./parquet-structures.ts";
import { textOf } from "./text.ts";

/** `.parse_parquet(byte_array_as_string)`: the parameter has no effect, as in the reference engine. */
export function parseParquet(target: Value, _from: string, asString: Value): readonly Value[] {
  boolArgument("method 'parse_parquet'", "byte_array_as_string", asString);
  return readParquet(pluginBytes(target), Number.POSITIVE_INFINITY).rows; // The budget of values limits the rows.
}

/**
 * Returns the rows and the schema of a file. Throws a `MappingError` if the file is invalid or has more than
 * `mostRows`.
 */
export function readParquet(
  bytes: Uint8Array,
  mostRows: number,
): { readonly rows: readonly Value[]; readonly schema: SchemaTree } {
  // Copy into a separate buffer: a broken file may refer to bytes outside of it, which must not be other messages.
  const file = new Uint8Array(bytes);
  return guarded(() => readFile(file, mostRows));
}

/** For broken files, the library and byte views throw errors of many classes. */
function guarded<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof MappingError || !(error instanceof Error)) throw error;
    // The library reads damaged metadata as structures without fields, and fails on them later.
    throw new MappingError(
      error.message.startsWith("parquet") ? error.message : "parquet: the file is damaged",
    );
  }
}

/** Yields the rows of a file, one row group at a time. Throws a `MappingError` when it reaches a broken part. */
export function* parquetRows(bytes: Uint8Array): Generator<Value> {
  const file = new Uint8Array(bytes);
  const { schema, groups } = guarded(() => openFile(file));
  for (const group of groups) {
    const budget = new DecodingBudget("parquet", file.length);
    yield* guarded(() => readRowGroup(file, schema, group, budget));
  }
}

function openFile(file: Uint8Array): { readonly schema: SchemaTree; readonly groups: readonly RowGroup[] } {
  checkStructure(file, footerStart(file));
  const metadata = parquetMetadata(file, { geoparquet: false });
  checkDepth(metadata.schema);
  return { schema: parquetSchema(metadata), groups: metadata.row_groups };
}

function readFile(file: Uint8Array, mostRows: number) {
  const budget = new DecodingBudget("parquet", file.length);
  const { schema, groups } = openFile(file);
  const count = groups.reduce((sum, { num_rows: rows }) => sum + Number(rows), 0);
  if (count > mostRows)
    throw new MappingError(`parquet: the file has more rows than the limit of ${mostRows}`);
  return { schema, rows: groups.flatMap((group) => readRowGroup(file, schema, group, budget)) };
}

/**
 * Returns the start of the metadata. Its length precedes the last four bytes of the file. If the length is wrong, the
 * library reports the fault.
 */
function footerStart(file: Uint8Array): number {
  const lengthAt = file.length - 8;
  if (lengthAt < 0) throw new MappingError("parquet: file is too short");
  return Math.max(lengthAt - new DataView(file.buffer).getUint32(lengthAt, true), 0);
}

/** The maximum nesting of groups: more than files have, less than the stack holds. */
const mostDepth = 50;

/** Throws if the elements are nested too deep. Each element says how many of the following ones it contains. */
function checkDepth(elements: readonly SchemaElement[]): void {
  const open: number[] = [];
  for (const { num_children: children = 0 } of elements) {
    while (open.at(-1) === 0) open.pop();
    if (open.length > 0) open.push((open.pop() ?? 0) - 1);
    open.push(children);
    if (open.length > mostDepth) throw new MappingError("parquet: columns are nested too deeply");
  }
}

function readRowGroup(
  file: Uint8Array,
  root: SchemaTree,
  group: RowGroup,
  budget: DecodingBudget,
): readonly Value[] {
  // A schema without columns may claim any number of rows, because its rows take no bytes.
  if (root.children.length === 0) throw new MappingError("parquet: file has no columns");
  const columns = readColumns(file, root, group, budget);
  const missing = leavesOf(root).find((leaf) => !columns.has(leaf));
  if (missing !== undefined) throw new MappingError(`parquet: column ${missing.path.join(".")} is missing`);
  const cursors = createCursors(columns, budget);
  const rows: Value[] = [];
  for (let row = 0; row < Number(group.num_rows); row++) rows.push(readRow(root, cursors));
  return rows;
}

function readColumns(
  file: Uint8Array,
  root: SchemaTree,
  { columns }: RowGroup,
  budget: DecodingBudget,
): ReadonlyMap<SchemaTree, Column> {
  const read = new Map<SchemaTree, Column>();
  for (const { meta_data: metadata } of columns) {
    if (metadata === undefined) throw new MappingError("parquet: file is encrypted");
    budget.values(root.children.length); // The search for the name visits all children.
    const path = getTreePath(root, metadata.path_in_schema);
    const leaf = path.at(-1) ?? root;
    const physical = { type: metadata.type, length: leaf.element.type_length };
    const levels = { definition: getMaxDefinitionLevel(path), repetition: getMaxRepetitionLevel(path) };
    read.set(leaf, readColumn(file, metadata, { ...physical, ...levels }, budget));
  }
  return read;
}

// Assembles rows from columns. The levels say where an entry starts a new element, and how much of its path is present.

/** The current position in one column. */
interface Cursor {
  readonly column: Column;
  entry: number;
  value: number;
}

/** The column of each leaf, at its next entry. */
interface Cursors {
  readonly byLeaf: ReadonlyMap<SchemaTree, Cursor>;
  readonly budget: DecodingBudget;
}

/** Returns cursors at the first entry of each column. */
function createCursors(columns: ReadonlyMap<SchemaTree, Column>, budget: DecodingBudget): Cursors {
  const cursors = [...columns].map(([leaf, column]) => [leaf, { column, entry: 0, value: 0 }] as const);
  return { byLeaf: new Map(cursors), budget };
}

/** Returns the leaves below a node in the order of their columns. For a leaf, returns the leaf itself. */
function leavesOf(node: SchemaTree): readonly SchemaTree[] {
  return node.children.length === 0 ? [node] : node.children.flatMap(leavesOf);
}

/** Returns the next row: an object with the fields of `root`. */
function readRow(root: SchemaTree, cursors: Cursors): Value {
  return readGroup(root, { definition: 0, repetition: 0 }, cursors);
}

/** The definition level from which a node is present, and the number of lists that contain it. */
interface Levels {
  readonly definition: number;
  readonly repetition: number;
}

/** Returns the value of a node: null if it is optional and absent, an array if it is repeated. */
function readNode(node: SchemaTree, levels: Levels, cursors: Cursors): Value {
  cursors.budget.values(1);
  const kind = node.element.repetition_type;
  if (kind === "REPEATED")
    return readElements(node, levels, cursors, (inner) => readContent(node, inner, cursors));
  if (kind !== "OPTIONAL") return readContent(node, levels, cursors);
  const inner = { ...levels, definition: levels.definition + 1 };
  return isThere(node, inner, cursors) ? readContent(node, inner, cursors) : null;
}

function readContent(node: SchemaTree, levels: Levels, cursors: Cursors): Value {
  const [only] = node.children;
  if (only === undefined) return readLeaf(node, cursors);
  if (only.element.repetition_type !== "REPEATED" || node.children.length > 1)
    return readGroup(node, levels, cursors);
  if (isKind(node, "LIST")) return readList(node, only, levels, cursors);
  if (isKind(node, "MAP") || node.element.converted_type === "MAP_KEY_VALUE")
    return readMap(only, levels, cursors);
  return readGroup(node, levels, cursors);
}

function isKind({ element }: SchemaTree, kind: "LIST" | "MAP"): boolean {
  return element.converted_type === kind || element.logical_type?.type === kind;
}

function readGroup(node: SchemaTree, levels: Levels, cursors: Cursors): Value {
  return Object.fromEntries(
    node.children.map((child) => [child.element.name, readNode(child, levels, cursors)]),
  );
}

/** Reads a list. By the format's rules for lists, the repeated group is the element only in files of older writers. */
function readList(list: SchemaTree, repeated: SchemaTree, levels: Levels, cursors: Cursors): Value {
  const [element] = repeated.children;
  const { name } = repeated.element;
  const isElement =
    element === undefined ||
    repeated.children.length > 1 ||
    name === "array" ||
    name === `${list.element.name}_tuple`;
  return readElements(repeated, levels, cursors, (inner) =>
    isElement ? readContent(repeated, inner, cursors) : readNode(element, inner, cursors),
  );
}

function readMap(pair: SchemaTree, levels: Levels, cursors: Cursors): Value {
  const [key, value] = pair.children;
  if (key === undefined) throw new MappingError("parquet: map has no keys");
  const pairs: [string, Value][] = [];
  readElements(pair, levels, cursors, (inner) => {
    const name = textOf(readNode(key, inner, cursors));
    pairs.push([name, value === undefined ? null : readNode(value, inner, cursors)]);
    return null;
  });
  return Object.fromEntries(pairs);
}

function readElements(
  node: SchemaTree,
  levels: Levels,
  cursors: Cursors,
  readElement: (levels: Levels) => Value,
): readonly Value[] {
  const inner = { definition: levels.definition + 1, repetition: levels.repetition + 1 };
  if (!isThere(node, inner, cursors)) return [];
  const elements: Value[] = [];
  const first = firstCursor(node, cursors);
  do {
    cursors.budget.values(1);
    elements.push(readElement(inner));
  } while (first.column.repetitions[first.entry] === inner.repetition);
  return elements;
}

/** Whether the next entry contains `node`. If not, skips the entry in all columns of the node. */
function isThere(node: SchemaTree, { definition }: Levels, cursors: Cursors): boolean {
  const { column, entry } = firstCursor(node, cursors);
  const level = column.definitions[entry];
  if (level === undefined) throw ended();
  if (level >= definition) return true;
  for (const leaf of leavesOf(node)) {
    cursors.budget.values(1);
    cursorOf(leaf, cursors).entry++;
  }
  return false;
}

function firstCursor(node: SchemaTree, cursors: Cursors): Cursor {
  const [child] = node.children;
  return child === undefined ? cursorOf(node, cursors) : firstCursor(child, cursors);
}

function cursorOf(leaf: SchemaTree, cursors: Cursors): Cursor {
  const cursor = cursors.byLeaf.get(leaf);
  if (cursor === undefined) throw new MappingError(`parquet: column ${leaf.path.join(".")} is missing`);
  return cursor;
}

function readLeaf(leaf: SchemaTree, cursors: Cursors): Value {
  const cursor = cursorOf(leaf, cursors);
  const raw = cursor.column.values[cursor.value++];
  cursor.entry++;
  if (raw === undefined) throw ended();
  if (raw instanceof Uint8Array) cursors.budget.bytes(raw.length);
  return leafValue(raw, leaf);
}

/**
 * Converts a value as the reference engine does: dates and times stay the numbers in the file, decimals stored as
 * numbers become doubles, and other decimals stay bytes.
 */
function leafValue(raw: RawValue, { element }: SchemaTree): Value {
  if (typeof raw === "boolean") return raw;
  if (raw instanceof Uint8Array) {
    if (element.type === "FIXED_LEN_BYTE_ARRAY") return Uint8Array.from(raw);
    return isJson(element) ? jsonOf(decodeUtf8(raw)) : decodeUtf8(raw);
  }
  if (isDecimal(element)) return float(Number(raw) / 10 ** (element.scale ?? 0));
  switch (element.type) {
    case "FLOAT":
      return new SizedNumber("float32", Number(raw));
    case "DOUBLE":
      return float(Number(raw));
    case "INT32":
      return isUnsigned(element) ? Number(raw) >>> 0 : Number(raw);
    case "INT64":
      return isUnsigned(element) ? new Unsigned(BigInt(raw)) : integer(BigInt(raw));
    case "INT96":
      // Three words, lowest first. The reference engine has no other form for them either.
      return [0n, 32n, 64n].map((shift) => Number(BigInt.asUintN(32, BigInt(raw) >> shift)));
    default:
      throw new MappingError("parquet: column is of another type than its values");
  }
}

function isUnsigned({ converted_type: converted, logical_type: logical }: SchemaTree["element"]): boolean {
  return converted?.startsWith("UINT_") === true || (logical?.type === "INTEGER" && !logical.isSigned);
}

function isDecimal({ converted_type: converted, logical_type: logical }: SchemaTree["element"]): boolean {
  return converted === "DECIMAL" || logical?.type === "DECIMAL";
}

function isJson({ converted_type: converted, logical_type: logical }: SchemaTree["element"]): boolean {
  return converted === "JSON" || logical?.type === "JSON";
}

function jsonOf(text: string): Value {
  const parsed = parseJsonText(text);
  if ("reason" in parsed) throw new MappingError(`parquet: ${parsed.reason}`);
  return parsed.value;
}

function ended(): MappingError {
  return new MappingError("parquet: column ends before its rows");
}
