// A file that holds a mapping, as the one processor of a test.

import type { Processor } from "../../../runtime/component/component.ts";
import type { Sink } from "../../diagnostics/sink.ts";
import { type SourceFile, wholeSpan } from "../../source/source.ts";
import type { ScalarNode } from "../../trees/document.ts";
import { createProcessors, type ProcessorOptions } from "../processors.ts";

/** A `mapping` processor of the whole text of `file`; `undefined` when `sink` got errors. */
export function createMappingProcessor(
  file: SourceFile,
  options: ProcessorOptions,
  sink: Sink,
): Promise<readonly Processor[] | undefined> {
  const span = wholeSpan(file);
  const value: ScalarNode = { kind: "scalar", value: file.text, span, text: file };
  const node = { kind: "map", entries: [{ key: "mapping", keySpan: span, value }], span } as const;
  return createProcessors([node], options, sink);
}
