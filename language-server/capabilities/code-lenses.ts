// Shows actions above parts of a document: the routes of a stream, its diagram, trying a mapping, running tests. An
// editor receives only those whose commands it declared at the start of the server.

import type { CodeLens, Command, Range } from "vscode-languageserver";
import type { Route } from "../../compiler/model/routes.ts";
import type { StreamNode } from "../../compiler/trees/api.ts";
import { literalText } from "../../compiler/trees/fields.ts";
import type { Analysis } from "../analysis/analysis.ts";
import { rangeOf } from "../analysis/positions.ts";
import { absolutePath } from "../workspace/paths.ts";

/** The names of editor commands, and their arguments. */
export const lensCommands = {
  /** The URI of a document: runs its unit tests. */
  test: "sluice.test",
  /** The URI of a document and a position in a mapping: runs the mapping on a message. */
  tryMapping: "sluice.tryMapping",
  /** The URI of a document: shows its streams as a diagram. */
  showTopology: "sluice.showTopology",
  /** A URL of the gateway: opens it in a browser. */
  openRoute: "sluice.openRoute",
} as const;

/** A document, and the commands of its editor. */
export interface LensContext {
  readonly path: string;
  readonly uri: string;
  readonly commands: ReadonlySet<string>;
}

/** Returns the lenses of the streams and mappings of a document. */
export function codeLenses(analysis: Analysis, context: LensContext): readonly CodeLens[] {
  const streams = (analysis.set?.apis ?? []).flatMap((api) => api.streams);
  const own = streams.filter(({ nameSpan }) => absolutePath(nameSpan.source.file.path) === context.path);
  return [...own.flatMap((stream) => ofStream(stream, analysis, context)), ...ofMappings(analysis, context)];
}

function ofStream(
  stream: StreamNode,
  { set }: Analysis,
  { uri, commands }: LensContext,
): readonly CodeLens[] {
  const range = rangeOf(stream.nameSpan);
  const routes = set?.routes.filter((route) => route.stream === stream) ?? [];
  const base = baseOf(literalText(set?.process.listen?.field), set?.process.tls !== undefined);
  return [
    ...routes.map((route) => lens(range, openCommand(route, base, commands))),
    ...(commands.has(lensCommands.showTopology)
      ? [lens(range, { title: "Show topology", command: lensCommands.showTopology, arguments: [uri] })]
      : []),
  ];
}

/** Returns a lens that shows a route; it opens routes that a browser can request. */
function openCommand(
  { transport, verbs, path }: Route,
  base: string,
  commands: ReadonlySet<string>,
): Command {
  const title = `${transport === "websocket" ? "WebSocket" : verbs.join(" ")} ${path}`;
  const isPage = transport !== "websocket" && verbs.includes("GET") && !path.includes("{");
  return isPage && commands.has(lensCommands.openRoute)
    ? { title, command: lensCommands.openRoute, arguments: [`${base}${path}`] }
    : { title, command: "" };
}

/** Returns the base URL of the gateway on this machine. */
function baseOf(listen: string | undefined, isSecure: boolean): string {
  const port = /:(\d{1,5})$/.exec(listen ?? "")?.[1] ?? "8080";
  return `${isSecure ? "https" : "http"}://localhost:${port}`;
}

/** Returns a lens for each mapping of a document, once even if several kinds of messages reach it. */
function ofMappings({ scripts }: Analysis, { path, uri, commands }: LensContext): readonly CodeLens[] {
  if (!commands.has(lensCommands.tryMapping)) return [];
  const found = new Map<string, CodeLens>();
  for (const { field } of scripts) {
    if (field.kind !== "Mapping" || absolutePath(field.span.source.file.path) !== path) continue;
    const range = rangeOf(field.span);
    const command = { title: "Try with a sample", command: lensCommands.tryMapping };
    found.set(JSON.stringify(range.start), lens(range, { ...command, arguments: [uri, range.start] }));
  }
  return [...found.values()].toSorted((a, b) => a.range.start.line - b.range.start.line);
}

/** Returns the lens of the unit tests in a document, which may also be a file that contains only tests. */
export function testLenses(text: string, { uri, commands }: LensContext): readonly CodeLens[] {
  const found = /^["']?(?:x-)?tests["']?[ \t]*:/m.exec(text);
  if (found === null || !commands.has(lensCommands.test)) return [];
  const line = text.slice(0, found.index).split("\n").length - 1;
  const range = { start: { line, character: 0 }, end: { line, character: found[0].length } };
  return [lens(range, { title: "Run tests", command: lensCommands.test, arguments: [uri] })];
}

function lens(range: Range, command: Command): CodeLens {
  return { range, command };
}
