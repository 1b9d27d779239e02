// The streams of a located document, component by component. What is no map where one belongs, and keys
// no stream has, are left to the document check.

import type { Report } from "../../diagnostics/sink.ts";
import type { Span } from "../../source/source.ts";
import type { ComponentNode, ComponentRole, StreamNode } from "../document/api.ts";
import { findEntry, findNode, type MapNode } from "../document/tree.ts";
import { readComponent } from "./components.ts";
import { createResources, type Resources } from "./resources.ts";

/** The streams of an `x-gw-streaming` value, in the order written. */
export function readStreams(extension: MapNode, report: Report): readonly StreamNode[] {
  const streams = findNode(extension, "streams");
  if (streams?.kind !== "map") return [];
  return streams.entries.flatMap(({ key, keySpan, value }) =>
    value.kind === "map" ? [readStream(key, keySpan, value, report)] : [],
  );
}

/** One stream; a bare stream document is one, named by whoever reads it. */
export function readStream(name: string, nameSpan: Span, node: MapNode, report: Report): StreamNode {
  const resources = createResources(node, report);
  const input = readPart("input", node, resources, report);
  const output = readPart("output", node, resources, report);
  const errorHandling = findNode(node, "error_handling");
  const deadLetter =
    errorHandling?.kind === "map" ? readPart("output", errorHandling, resources, report) : undefined;
  const processors = readProcessors(node, resources, report);
  const declared = resources.all();
  return {
    name,
    nameSpan,
    node,
    ...(input === undefined ? {} : { input }),
    processors,
    ...(output === undefined ? {} : { output }),
    ...(errorHandling?.kind === "map" ? { errorHandling } : {}),
    ...(deadLetter === undefined ? {} : { deadLetter }),
    ...(declared.length === 0 ? {} : { resources: declared }),
  };
}

function readPart(
  role: ComponentRole,
  node: MapNode,
  { find }: Resources,
  report: Report,
): ComponentNode | undefined {
  const entry = findEntry(node, role);
  return entry && readComponent(role, entry.value, report, entry.keySpan, find);
}

function readProcessors(node: MapNode, { find }: Resources, report: Report): readonly ComponentNode[] {
  const processors = findNode(node, "pipeline", "processors");
  if (processors?.kind !== "list") return [];
  return processors.items.flatMap((item) => readComponent("processor", item, report, undefined, find) ?? []);
}
