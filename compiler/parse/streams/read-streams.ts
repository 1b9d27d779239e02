// Reads the streams of a document, component by component. The document check reports values that should be maps, and
// unknown keys of streams.

import { type ComponentRole, descriptorOf } from "../../../schemas/component.ts";
import { noMemory, type ResultsMemory } from "../../diagnostics/results-memory.ts";
import type { Span } from "../../source/source.ts";
import type { ComponentNode, StreamNode } from "../../trees/api.ts";
import { findEntry, findNode, type MapNode } from "../../trees/document.ts";
import { type ComponentReading, readComponent, readStep } from "./components.ts";
import { createResources } from "./resources.ts";

/** Returns the streams of an `x-gw-streaming` value, in the order written. */
export function readStreams(
  extension: MapNode,
  reading: ComponentReading & { readonly memory?: ResultsMemory | undefined },
): readonly StreamNode[] {
  const { components, report, memory = noMemory } = reading;
  const streams = findNode(extension, "streams");
  if (streams?.kind !== "map") return [];
  return streams.entries.flatMap(({ key, keySpan, value }) =>
    value.kind === "map"
      ? [
          memory.recall(
            "stream",
            value,
            () => [key, keySpan, components],
            report,
            (report) => readStream(key, keySpan, value, { ...reading, report }),
          ),
        ]
      : [],
  );
}

/** Returns one stream. The caller provides the name, because a bare stream document has none. */
export function readStream(
  name: string,
  nameSpan: Span,
  node: MapNode,
  { components, report }: ComponentReading,
): StreamNode {
  const resources = createResources(node, { components, report });
  const reading = { components, report, findResource: resources.find };
  const input = readInput(node, reading);
  const output = readPart("output", node, reading);
  const errorHandling = findNode(node, "error_handling");
  const deadLetter = errorHandling?.kind === "map" ? readPart("output", errorHandling, reading) : undefined;
  const pipeline = readProcessors(node, reading);
  const { processors: first = [] } = input ?? {};
  const { processors: last = [] } = output ?? {};
  const declared = resources.all();
  return {
    name,
    nameSpan,
    node,
    ...(input === undefined ? {} : { input: withoutProcessors(input) }),
    processors: [...first, ...pipeline, ...last],
    ...readThreads(node),
    ...(first.length + last.length > 0 && { beside: { input: first.length, output: last.length } }),
    ...(output === undefined ? {} : { output: withoutProcessors(output) }),
    ...(errorHandling?.kind === "map" ? { errorHandling } : {}),
    ...(deadLetter === undefined ? {} : { deadLetter }),
    ...(declared.length === 0 ? {} : { resources: declared }),
  };
}

/** Returns the input of a stream. An effective buffer results in an input that contains both. */
function readInput(node: MapNode, reading: ComponentReading): ComponentNode | undefined {
  const input = findEntry(node, "input");
  const buffer = findEntry(node, "buffer");
  if (buffer === undefined) return readPart("input", node, reading);
  // Without reports here: the buffer is read again together with the input.
  const kept = readPart("buffer", node, { ...reading, report: () => undefined });
  const holder = reading.components.all("input").find(({ holdsBuffer }) => holdsBuffer === true);
  const isKept = kept !== undefined && descriptorOf("buffer", kept)?.keepsNothing !== true;
  if (input === undefined || holder === undefined || !isKept) {
    readPart("buffer", node, reading);
    return readPart("input", node, reading);
  }
  const held: MapNode = {
    kind: "map",
    span: input.value.span,
    entries: [{ ...input, key: "child" }, buffer],
  };
  const buffered: MapNode = {
    kind: "map",
    span: held.span,
    entries: [{ ...input, key: holder.name, value: held }],
  };
  const read = readComponent("input", buffered, reading, input.keySpan);
  return read && { ...read, isImplied: true };
}

/** Returns the number of threads if it is a positive number. The document check reports invalid values. */
function readThreads(node: MapNode): Pick<StreamNode, "threads"> {
  const threads = findNode(node, "pipeline", "threads");
  const isBound = threads?.kind === "scalar" && typeof threads.value === "number" && threads.value > 0;
  return isBound ? { threads: Number(threads.value) } : {};
}

/** Returns an end of a stream without its processors: they belong to the pipeline, which precedes the gate. */
function withoutProcessors({ processors: _, ...component }: ComponentNode): ComponentNode {
  return component;
}

function readPart(role: ComponentRole, node: MapNode, reading: ComponentReading): ComponentNode | undefined {
  const entry = findEntry(node, role);
  return entry && readComponent(role, entry.value, reading, entry.keySpan);
}

function readProcessors(node: MapNode, reading: ComponentReading): readonly ComponentNode[] {
  const processors = findNode(node, "pipeline", "processors");
  if (processors?.kind !== "list") return [];
  return processors.items.map((item) => readStep(item, reading));
}
