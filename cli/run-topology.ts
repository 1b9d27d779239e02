// Runs `sluice topology`: prints the graph of each stream on standard output and diagnostics on standard error.

import { formatDiagnostics, isFailure, withLineBreak } from "../compiler/cli/diagnostics.ts";
import { misuse } from "../compiler/cli/exit-codes.ts";
import { useColor } from "../compiler/cli/terminal.ts";
import { checkDocuments, drawStreams } from "../compiler/compile.ts";
import type { Drawing } from "../management/drawing/drawing.ts";

/** Options of `sluice topology`. */
export interface TopologyCommandOptions {
  readonly format: "text" | "svg" | "json";
  readonly stream?: string;
}

/** Prints the streams of documents that have no errors. Returns the exit code. */
export async function runTopology(
  paths: readonly string[],
  { format, stream }: TopologyCommandOptions,
): Promise<number> {
  const { diagnostics, suppressed, counts, checked } = await checkDocuments(paths);
  const text = await formatDiagnostics(diagnostics, "pretty", useColor(process.stderr), suppressed);
  process.stderr.write(withLineBreak(text));
  if (checked === undefined || isFailure(counts, {})) return 1;
  const { layOut } = await import("../management/drawing/lay-out.ts");
  const drawings: Drawing[] = [];
  for (const { id } of checked.set.apis) {
    for (const [name, topology] of await drawStreams(checked, id)) {
      if (stream === undefined || stream === name) drawings.push(layOut(name, topology));
    }
  }
  const only = drawings[0];
  if (only === undefined && stream !== undefined) return misuse(`unknown stream '${stream}'`);
  if (format === "json") process.stdout.write(`${JSON.stringify(drawings, undefined, 2)}\n`);
  else if (format === "text") process.stdout.write((await Promise.all(drawings.map(listOf))).join("\n"));
  else if (only === undefined || drawings.length > 1) {
    return misuse(`a diagram shows one stream; choose it with --stream: ${drawings.map(nameOf).join(", ")}`);
  } else {
    const { pictureOf } = await import("../management/drawing/picture.ts");
    const { printSvg } = await import("../management/drawing/print-svg.ts");
    const picture = pictureOf(only);
    if (picture === undefined) return misuse(`stream '${only.stream}' has too many components for a picture`);
    process.stdout.write(`${printSvg(picture)}\n`);
  }
  return 0;
}

function nameOf({ stream }: Drawing): string {
  return stream;
}

/** Returns a stream as lines: each component, followed by the destinations of its messages. */
async function listOf({ stream, nodes, edges }: Drawing): Promise<string> {
  const { describeNode } = await import("../management/drawing/picture.ts");
  const names = new Map(nodes.map((node) => [node.id, node.label ?? node.component]));
  const lines = nodes.flatMap((node) => {
    const targets = edges.filter(({ from }) => from === node.id);
    return [
      `  ${describeNode(node)}`,
      ...targets.map(
        ({ to, label }) => `    → ${names.get(to) ?? to}${label === undefined ? "" : ` (${label})`}`,
      ),
    ];
  });
  return `${[stream, ...lines].join("\n")}\n`;
}
