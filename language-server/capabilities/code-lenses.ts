// What can be done with a part of a document, above it: the routes of a stream, its picture, a mapping tried, tests run. An
// editor gets those whose commands it has, as it said when it started the server.

import type { CodeLens, Command, Range } from "vscode-languageserver";
import type { Route } from "../../compiler/model/routes.ts";
import type { StreamNode } from "../../compiler/trees/api.ts";
import { literalText } from "../../compiler/trees/fields.ts";
import type { Analysis } from "../analysis/analysis.ts";
import { rangeOf } from "../analysis/positions.ts";
import { absolutePath } from "../workspace/paths.ts";

/** The commands of an editor by their names, each with what it is given. */
export const lensCommands = {
  /** The address of a document: runs its unit tests. */
  test: "sluice.test",
  /** The address of a document and a place in a mapping: runs the mapping on a message. */
  tryMapping: "sluice.tryMapping",
  /** The address of a document: shows its streams as a picture. */
  showTopology: "sluice.showTopology",
  /** An address of the gateway: shows it in a browser. */
  openRoute: "sluice.openRoute",
} as const;

/** A document, and the commands that its editor has. */
export interface LensContext {
  readonly path: string;
  readonly uri: string;
  readonly commands: ReadonlySet<string>;
}

/** The lenses of the streams and mappings of a document. */
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

/** The route as a text, which opens where a browser can ask for it. */
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

/** Where the gateway answers on this machine. */
function baseOf(listen: string | undefined, isSecure: boolean): string {
  const port = /:(\d{1,5})$/.exec(listen ?? "")?.[1] ?? "8080";
  return `${isSecure ? "https" : "http"}://localhost:${port}`;
}

/** Each mapping of a document once, whatever messages come to it. */
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

/** The lens of the unit tests in a document, which may be a file that holds nothing else. */
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
