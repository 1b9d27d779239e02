// The streams of a located document, component by component. What is not a map where one belongs, and keys
// no stream has, are left to the document check.

import { descriptorOf } from "../../../schemas/component.ts";
import { noMemory, type ResultsMemory } from "../../diagnostics/results-memory.ts";
import type { Span } from "../../source/source.ts";
import type { ComponentNode, ComponentRole, StreamNode } from "../../trees/api.ts";
import { findEntry, findNode, type MapNode } from "../../trees/document.ts";
import { type ComponentReading, readComponent, readStep } from "./components.ts";
import { createResources } from "./resources.ts";

/** The streams of an `x-gw-streaming` value, in the order written. */
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

/** One stream; a bare stream document is one, named by the caller. */
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

/** The input of a stream; with a buffer, an input that holds both. A buffer that keeps nothing changes nothing. */
function readInput(node: MapNode, reading: ComponentReading): ComponentNode | undefined {
  const input = findEntry(node, "input");
  const buffer = findEntry(node, "buffer");
  if (buffer === undefined) return readPart("input", node, reading);
  // Read again with the input, where what is wrong with it is reported.
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

/** Only whole numbers are a bound; what is not one, the document check tells. */
function readThreads(node: MapNode): Pick<StreamNode, "threads"> {
  const threads = findNode(node, "pipeline", "threads");
  const isBound = threads?.kind === "scalar" && typeof threads.value === "number" && threads.value > 0;
  return isBound ? { threads: Number(threads.value) } : {};
}

/** The ends of a stream leave their processors to its pipeline, behind which stands the gate. */
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
  return processors.items.flatMap((item) => readStep(item, reading) ?? []);
}
