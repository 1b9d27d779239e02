// A processor of a stream in, where it was written out.

import type { StreamNode } from "./api.ts";

/** `input.processors[0]`, `pipeline.processors[2]`, `output.processors[1]`, from the stream on. */
export function processorPath({ processors, beside }: StreamNode, index: number): string {
  const { input = 0, output = 0 } = beside ?? {};
  if (index < input) return `input.processors[${index}]`;
  const last = processors.length - output;
  return index < last ? `pipeline.processors[${index - input}]` : `output.processors[${index - last}]`;
}
