// Reads the initial document and the files that it uses, with the paths that they have on the page.

import { posix } from "node:path";
import { checkDocuments } from "../compiler/compile.ts";
import { type FileSystem, nodeFileSystem } from "../compiler/parse/document/file-system.ts";
import { analyseMapping, isMappingName } from "../language-server/analysis/analyse-mapping.ts";
import { absolutePath } from "../language-server/workspace/paths.ts";
import type { PlacedFile } from "./worker/protocol.ts";

/** A text and the files next to it. */
export interface StartingText extends PlacedFile {
  readonly files: readonly PlacedFile[];
}

/**
 * Reads the document at `path` and all files it names. Paths are relative to their innermost common folder, so that
 * nothing reveals their location on this machine. Rejects if the document cannot be read.
 */
export async function readStartingText(path: string): Promise<StartingText> {
  const read = new Map<string, Uint8Array>();
  const fileSystem: FileSystem = {
    async readFile(requested, limit) {
      const bytes = await nodeFileSystem.readFile(requested, limit);
      read.set(absolutePath(requested), bytes);
      return bytes;
    },
    list: (folder) => nodeFileSystem.list(folder),
  };
  const own = absolutePath(path);
  await fileSystem.readFile(own, mostBytes);
  if (isMappingName(own)) await analyseMapping(own, fileSystem);
  else await checkDocuments([own], { fileSystem });
  const folder = commonFolder([...read.keys()]);
  const placed = [...read].map(([each, bytes]) => ({
    path: posix.join("/play", posix.relative(folder, each)),
    text: Buffer.from(bytes).toString("utf8"),
  }));
  const document = posix.join("/play", posix.relative(folder, own));
  const text = placed.find((each) => each.path === document)?.text ?? "";
  return { path: document, text, files: placed.filter((each) => each.path !== document) };
}

/** Maximum size in bytes of a document to edit in a page. */
const mostBytes = 16 * 1024 * 1024;

function commonFolder(paths: readonly string[]): string {
  const folders = paths.map((path) => posix.dirname(path).split("/"));
  const [first = []] = folders;
  const length = first.findIndex((part, at) => folders.some((each) => each[at] !== part));
  return first.slice(0, length < 0 ? first.length : length).join("/") || "/";
}
