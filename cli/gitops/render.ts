// Renders changes as lines for people, or as JSON.

import type { MessageTypes, StreamDifference } from "../../compiler/cli/stream-changes.ts";
import type { ApiChange, FolderChanges, PendingChange } from "./changes.ts";

const signs = { create: "+", update: "~", delete: "-" } as const;

/** Returns the output of `plan`: a line for each API, followed by its streams with the types of their messages. */
export function renderChanges({ changes, unchanged, kept }: FolderChanges): string {
  const count = (action: ApiChange["action"]) => changes.filter((change) => change.action === action).length;
  const summary = `${count("create")} to create, ${count("update")} to update, ${count("delete")} to delete, ${unchanged.length} unchanged`;
  return [
    ...changes.flatMap(linesOf),
    ...kept.map((id) => `  ${id} is not in the folder; --prune deletes it`),
    summary,
    "",
  ].join("\n");
}

/** Returns the changes as JSON, without the texts of definitions. */
export function changesAsJson({ changes, unchanged, kept }: FolderChanges): string {
  const shown = changes.map(({ text: _, etag: __, streams, ...change }: PendingChange) => ({
    ...change,
    streams: streams ?? null,
  }));
  return `${JSON.stringify({ changes: shown, unchanged, kept }, undefined, 2)}\n`;
}

function linesOf({ api, action, path, streams }: ApiChange): readonly string[] {
  const head = `${signs[action]} ${api}${path === undefined ? "" : ` (${path})`}`;
  if (streams === undefined) return [head, "    its streams cannot be compared here"];
  if (action === "update" && streams.length === 0) return [head, "    no stream changes"];
  return [head, ...streams.flatMap(linesOfStream)];
}

function linesOfStream({ stream, action, parts, before, after }: StreamDifference): readonly string[] {
  const words = parts.map((part) => (part === "shape" ? "clients reconnect" : part));
  const head = `    ${signs[action]} stream ${stream}${words.length === 0 ? "" : `: ${words.join(", ")}`}`;
  return [head, ...typeLines("input", before, after), ...typeLines("output", before, after)];
}

function typeLines(
  end: keyof MessageTypes,
  before: MessageTypes | undefined,
  after: MessageTypes | undefined,
): readonly string[] {
  const [former, next] = [before?.[end], after?.[end]];
  if (former === next) return [];
  return [
    ...(former === undefined ? [] : [`        - ${end}: ${former}`]),
    ...(next === undefined ? [] : [`        + ${end}: ${next}`]),
  ];
}
