// Writes small MaxMind databases for tests: the license of the real ones does not allow redistribution.

/** The content of a record; integers are written as unsigned integers, other numbers as doubles. */
export type Stored = string | number | boolean | readonly Stored[] | { readonly [key: string]: Stored };

const separator = new Uint8Array(16);
const marker = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1");

/**
 * Returns a database of `type` with a record for each network. Networks are prefixes in bits: `"0000"` is 0.0.0.0/4 in
 * version 4; in version 6 they start at the first of 128 bits.
 */
export function writeDatabase(
  type: string,
  version: 4 | 6,
  networks: Readonly<Record<string, Stored>>,
): Buffer {
  const data: Buffer[] = [];
  const nodes: [Target, Target][] = [[undefined, undefined]];
  let size = 0;
  for (const [bits, record] of Object.entries(networks)) {
    insert(nodes, bits, { offset: size });
    const encoded = encode(record);
    data.push(encoded);
    size += encoded.length;
  }
  const metadata = encode({
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 0,
    database_type: type,
    description: {},
    ip_version: version,
    languages: [],
    node_count: nodes.length,
    record_size: 32,
  });
  const tree = nodes.flatMap((node) => node.map((target) => pointer(target, nodes.length)));
  return Buffer.concat([...tree, separator, ...data, marker, metadata]);
}

/** The target of one side of a node: another node, a record, or nothing. */
type Target = number | { readonly offset: number } | undefined;

function insert(nodes: [Target, Target][], bits: string, record: { readonly offset: number }): void {
  let node = nodes[0];
  for (const [depth, bit] of [...bits].entries()) {
    const side = bit === "0" ? 0 : 1;
    if (node === undefined) return;
    if (depth === bits.length - 1) node[side] = record;
    else if (typeof node[side] !== "number") node[side] = nodes.push([undefined, undefined]) - 1;
    const next = node[side];
    node = typeof next === "number" ? nodes[next] : undefined;
  }
}

function pointer(target: Target, count: number): Buffer {
  const bytes = Buffer.alloc(4);
  const number =
    target === undefined ? count : typeof target === "number" ? target : count + 16 + target.offset;
  bytes.writeUInt32BE(number);
  return bytes;
}

function encode(value: Stored): Buffer {
  if (typeof value === "string") return field(2, Buffer.from(value));
  if (typeof value === "boolean") return control(14, value ? 1 : 0);
  if (typeof value === "number") return Number.isInteger(value) ? field(6, unsigned(value)) : double(value);
  if (isList(value)) return Buffer.concat([control(11, value.length), ...value.map(encode)]);
  const entries = Object.entries(value).flatMap(([key, child]) => [encode(key), encode(child)]);
  return Buffer.concat([control(7, entries.length / 2), ...entries]);
}

function isList(value: Stored): value is readonly Stored[] {
  return Array.isArray(value);
}

function field(type: number, content: Buffer): Buffer {
  return Buffer.concat([control(type, content.length), content]);
}

/** Sizes below 29 are part of the control byte, those up to 284 are in the byte after it. */
function control(type: number, size: number): Buffer {
  const head = type < 8 ? type << 5 : 0;
  const extended = type < 8 ? [] : [type - 7];
  return size < 29
    ? Buffer.from([head | size, ...extended])
    : Buffer.from([head | 29, ...extended, size - 29]);
}

function unsigned(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function double(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return field(3, bytes);
}
