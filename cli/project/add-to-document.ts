// Adds to documents of users, keeping the comments and the layout of the rest.

import { readFile } from "node:fs/promises";
import { type Document, isMap, isSeq, parseDocument } from "yaml";
import { exitCodes } from "../../compiler/cli/exit-codes.ts";
import { replaceFiles } from "../../compiler/cli/replace-files.ts";

/** A file cannot be written. The message is for people. */
export class ScaffoldError extends Error {
  override readonly name = "ScaffoldError";
  /** `misuse` if arguments are missing or invalid, `failed` if the command cannot do its work. */
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Returns the names of the streams of a document. */
export async function streamsOf(path: string): Promise<readonly string[]> {
  const streams = (await read(path)).document.getIn(["x-gw-streaming", "streams"]);
  return isMap(streams) ? streams.items.map(({ key }) => String(key)) : [];
}

/**
 * Adds a stream to an OpenAPI document. Throws a `ScaffoldError` if the name exists or the file is not an OpenAPI
 * document.
 */
export async function addStream(path: string, name: string, stream: string): Promise<void> {
  const { document, before } = await read(path);
  if (!document.has("openapi")) throw new ScaffoldError(`${path} is not an OpenAPI document`);
  const place = ["x-gw-streaming", "streams", name];
  if (document.hasIn(place)) throw new ScaffoldError(`${path} has a stream \`${name}\` already`);
  const added = parseDocument(stream);
  document.setIn(place, added.contents);
  declareEndpoints(document, added);
  await write(path, before, document);
}

/** Declares the endpoints of a new stream if the document declares operations: a check then reports all others. */
function declareEndpoints(document: Document, stream: Document): void {
  const paths = document.get("paths");
  if (!isMap(paths) || !paths.items.some(({ value }) => hasOperation(value))) return;
  for (const role of ["input", "output"]) {
    const path = stream.getIn([role, "http_server", "path"]);
    const verb = stream.getIn([role, "http_server", "allowed_verbs", 0]);
    if (path === undefined || verb === undefined || paths.has(path)) continue;
    const operation = { responses: { "200": { description: "The stream accepts or sends messages." } } };
    paths.set(path, document.createNode({ [String(verb).toLowerCase()]: operation }));
  }
}

/** Whether a path item has an operation: its other fields are texts and lists, except extensions. */
function hasOperation(item: unknown): boolean {
  return isMap(item) && item.items.some(({ key, value }) => isMap(value) && !String(key).startsWith("x-"));
}

/** Adds an API to the list of a gateway file, unless the file already lists it. */
export async function addApi(gateway: string, file: string): Promise<void> {
  const { document, before } = await read(gateway);
  const apis = document.get("apis");
  if (apis === undefined) document.set("apis", document.createNode([file]));
  else if (!isSeq(apis)) throw new ScaffoldError(`\`apis\` of ${gateway} is not a list`);
  else if (apis.toJSON().includes(file)) return;
  else apis.add(file);
  await write(gateway, before, document);
}

async function read(path: string): Promise<{ readonly document: Document; readonly before: string }> {
  const before = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") throw new ScaffoldError(`there is no ${path}`);
    throw error;
  });
  const document = parseDocument(before);
  const [mistake] = document.errors;
  if (mistake !== undefined) throw new ScaffoldError(`${path} cannot be read: ${mistake.message}`);
  return { document, before };
}

async function write(path: string, before: string, document: Document): Promise<void> {
  await replaceFiles([
    { path, before, after: document.toString({ lineWidth: 0, flowCollectionPadding: true }) },
  ]);
}
