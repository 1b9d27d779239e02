// Determines the path of each component in a stream, for messages.

import type { ComponentNode, FieldNode, StreamNode } from "./api.ts";

/**
 * Returns paths from the stream on, also for components inside others: `input.kafka`, `pipeline.processors[0].mapping`,
 * `pipeline.processors[1].switch.cases[0].processors[0].http`.
 */
export function componentPaths(stream: StreamNode): ReadonlyMap<ComponentNode, string> {
  const paths = new Map<ComponentNode, string>();
  const { input, processors, output, deadLetter } = stream;
  if (input !== undefined) add(input, "input");
  for (const [index, processor] of processors.entries()) add(processor, processorPath(stream, index));
  if (output !== undefined) add(output, "output");
  if (deadLetter !== undefined) add(deadLetter, "error_handling.output");
  return paths;

  function add(component: ComponentNode, path: string): void {
    // A component that several places name by its label keeps the first path.
    if (paths.has(component)) return;
    const own = `${path}.${component.name}`;
    paths.set(component, own);
    addInside(component.config, own, component.isImplied);
    for (const [index, processor] of (component.processors ?? []).entries())
      add(processor, `${path}.processors[${index}]`);
  }

  function addInside(field: FieldNode, path: string, isImplied = false): void {
    if (field.kind === "Component") add(field.component, path);
    if (field.kind === "List")
      for (const [index, item] of field.items.entries()) addInside(item, `${path}[${index}]`);
    if (field.kind === "Object")
      for (const { name, value } of field.fields)
        addInside(value, isImplied ? pathInImplied(path, value) : `${path}.${name}`);
  }
}

/** Returns the path of an input or a buffer inside an implied component at `path`: `input`, or `buffer` next to it. */
export function pathInImplied(path: string, held: FieldNode): string {
  const input = path.slice(0, path.lastIndexOf("."));
  const isBuffer = held.kind === "Component" && held.component.role === "buffer";
  return isBuffer ? `${input.slice(0, input.lastIndexOf(".") + 1)}buffer` : input;
}

/** Returns `input.processors[0]`, `pipeline.processors[2]` or `output.processors[1]`, from the stream on. */
export function processorPath({ processors, beside }: StreamNode, index: number): string {
  const { input = 0, output = 0 } = beside ?? {};
  if (index < input) return `input.processors[${index}]`;
  const last = processors.length - output;
  return index < last ? `pipeline.processors[${index - input}]` : `output.processors[${index - last}]`;
}
