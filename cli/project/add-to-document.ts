// Adds to documents of users, keeping the comments and the layout of the rest.

import { readFile } from "node:fs/promises";
import { type Document, isMap, isSeq, parse, parseDocument } from "yaml";
import { exitCodes } from "../../compiler/cli/exit-codes.ts";
import { replaceFiles } from "../../compiler/cli/replace-files.ts";
import { isJson, withJsonValue } from "./add-to-json.ts";

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
  await add(path, { document, before }, [{ place, value: stream }, ...missingEndpoints(document, stream)]);
}

/**
 * Returns declarations of the endpoints of a new stream if the document declares operations: a check then reports all
 * others.
 */
function missingEndpoints(document: Document, stream: string): readonly Addition[] {
  const paths = document.get("paths");
  if (!isMap(paths) || !paths.items.some(({ value }) => hasOperation(value))) return [];
  const added = parseDocument(stream);
  return ["input", "output"].flatMap((role) => {
    const path = added.getIn([role, "http_server", "path"]);
    const verb = added.getIn([role, "http_server", "allowed_verbs", 0]);
    if (path === undefined || verb === undefined || paths.has(path)) return [];
    const description = "The stream accepts or sends messages.";
    const value = `${String(verb).toLowerCase()}:\n  responses:\n    "200":\n      description: ${description}\n`;
    return [{ place: ["paths", String(path)], value }];
  });
}

/** Whether a path item has an operation: its other fields are texts and lists, except extensions. */
function hasOperation(item: unknown): boolean {
  return isMap(item) && item.items.some(({ key, value }) => isMap(value) && !String(key).startsWith("x-"));
}

/** Adds an API to the list of a gateway file, unless the file already lists it. */
export async function addApi(gateway: string, file: string): Promise<void> {
  const found = await read(gateway);
  const apis = found.document.get("apis");
  if (apis !== undefined && apis !== null && !isSeq(apis))
    throw new ScaffoldError(`\`apis\` of ${gateway} is not a list`);
  if (isSeq(apis) && apis.toJSON().includes(file)) return;
  await add(gateway, found, [{ place: ["apis"], value: isSeq(apis) ? file : `- ${file}\n` }]);
}

/** What to add to a document. */
interface Addition {
  /** Keys of a value that does not exist, or of a list that gets one more item. */
  readonly place: readonly string[];
  /** The value as YAML. */
  readonly value: string;
}

interface ReadDocument {
  readonly document: Document;
  readonly before: string;
}

async function read(path: string): Promise<ReadDocument> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") throw new ScaffoldError(`there is no ${path}`);
    throw error;
  });
  const before = text.replace(/^\uFEFF/, "");
  const document = parseDocument(before);
  const [mistake] = document.errors;
  if (mistake !== undefined) throw new ScaffoldError(`${path} cannot be read: ${mistake.message}`);
  return { document, before };
}

async function add(path: string, read: ReadDocument, additions: readonly Addition[]): Promise<void> {
  const after = isJson(read.before) ? addToJson(path, read, additions) : addToYaml(path, read, additions);
  await replaceFiles([{ path, before: read.before, after }]);
}

function addToJson(path: string, { before }: ReadDocument, additions: readonly Addition[]): string {
  return additions.reduce((text, { place, value }) => {
    const added = withJsonValue(text, place, parse(value));
    return added ?? refuse(path, place);
  }, before);
}

function addToYaml(path: string, { document, before }: ReadDocument, additions: readonly Addition[]): string {
  for (const { place, value } of additions) {
    for (const depth of place.slice(1).keys()) {
      const above = place.slice(0, depth + 1);
      const found = document.getIn(above);
      // A key without a value, such as `streams:`.
      if (found === null) document.setIn(above, document.createNode({}));
      else if (found !== undefined && !isMap(found)) refuse(path, place);
    }
    const { contents } = parseDocument(value);
    if (isSeq(document.getIn(place))) document.addIn(place, contents);
    else document.setIn(place, contents);
  }
  const text = document.toString({ lineWidth: 0, flowCollectionPadding: true });
  // The package writes `\n` only.
  return before.includes("\r\n") ? text.replaceAll(/\r?\n/g, "\r\n") : text;
}

function refuse(path: string, place: readonly string[]): never {
  throw new ScaffoldError(`\`${place.join(".")}\` cannot be added to ${path}`);
}
