// `codec: gzip/csv` of older documents, with `max_buffer` beside it, to the `scanner` that they mean.

import {
  type CodecOption,
  type CodecScanner,
  codecLimit,
  readCodec,
} from "../../../schemas/scanner-codecs.ts";
import type { Schema } from "../../../schemas/schema.ts";
import type { Report } from "../../diagnostics/sink.ts";
import { type Span, spanOf } from "../../source/source.ts";
import {
  type DocumentNode,
  findEntry,
  type MapEntry,
  type MapNode,
  type ScalarNode,
} from "../../trees/document.ts";

/** The bytes of a message that older documents allow where they name a codec without `max_buffer`. */
const defaultLimit = 1_000_000;

/**
 * The object with the scanner that its `codec` means, each part at its place in the text; the object itself where its schema
 * has no such codec, or where a `scanner` stands beside it. Reports a text that is not a codec (GW4080) and a `max_buffer` that
 * nothing reads (GW4271).
 */
export function withScannerOfCodec(node: MapNode, schema: Schema, name: string, report: Report): MapNode {
  if (schema.properties?.codec?.["x-alias"] !== "scanner") return node;
  const codec = findEntry(node, "codec");
  const limit = findEntry(node, "max_buffer");
  const isUsed = codec?.value.kind === "scalar" && codec.value.value !== "";
  if (limit !== undefined && !isUsed)
    report("GW4271", limit.keySpan, { owner: name, field: "max_buffer", reason: "only `codec` reads it" });
  const entries = node.entries.filter((entry) => entry !== limit);
  if (!isUsed || codec === undefined || findEntry(node, "scanner") !== undefined) return { ...node, entries };
  return {
    ...node,
    entries: entries.flatMap((entry) =>
      entry === codec ? scannerEntry(codec, limit?.value, report) : [entry],
    ),
  };
}

function scannerEntry(
  { value: node, keySpan }: MapEntry,
  limit: DocumentNode | undefined,
  report: Report,
): readonly MapEntry[] {
  if (node.kind !== "scalar" || typeof node.value !== "string") return [];
  const read = readCodec(node.value);
  if (!("reason" in read)) return [{ key: "scanner", keySpan, value: scannerNode(read, { node, limit }) }];
  const { start, end, reason, example } = read;
  const value = node.value.slice(start, end);
  report("GW4080", spanOf(node.text, start, end), { value, title: "a codec", reason, example });
  return [];
}

interface Codec {
  /** The text. */
  readonly node: ScalarNode;
  /** What stands under `max_buffer`. */
  readonly limit: DocumentNode | undefined;
}

/** `{ csv: {} }` */
function scannerNode({ name, start, end, options }: CodecScanner, codec: Codec): MapNode {
  const span = spanOf(codec.node.text, start, end);
  return mapNode({ [name]: mapNode(nodesOf(options, span, codec), span) }, span);
}

function optionNode(option: CodecOption, span: Span, codec: Codec): DocumentNode {
  if (option === codecLimit) return codec.limit ?? optionNode(defaultLimit, span, codec);
  if (typeof option !== "object") return { kind: "scalar", value: option, span, text: codec.node.text };
  if (!isList(option)) return scannerNode(option, codec);
  return { kind: "list", span, items: option.map((item) => mapNode(nodesOf(item, span, codec), span)) };
}

function isList(option: CodecOption): option is Extract<CodecOption, readonly unknown[]> {
  return Array.isArray(option);
}

function nodesOf(options: CodecScanner["options"], span: Span, codec: Codec) {
  return Object.fromEntries(
    Object.entries(options).map(([key, option]) => [key, optionNode(option, span, codec)] as const),
  );
}

function mapNode(fields: Readonly<Record<string, DocumentNode>>, keySpan: Span): MapNode {
  const entries = Object.entries(fields).map(([key, value]) => ({ key, keySpan, value }));
  return { kind: "map", entries, span: keySpan };
}
