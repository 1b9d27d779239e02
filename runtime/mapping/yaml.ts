// Parses YAML.

import {
  Alias,
  type Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  Scalar,
  visit,
  type YAMLMap,
} from "yaml";
import { MappingError } from "../errors.ts";
import { isArray, isObject, type Value } from "../message/value.ts";
import { encodeUtf8 } from "../text/utf8.ts";
import { textTarget } from "./arguments.ts";
import { failedOn } from "./failures.ts";
import { textOf } from "./text.ts";
import { floatOf, integerOf, plainScalar } from "./yaml-scalars.ts";

/** The maximum number of nodes repeated by aliases in one text: enough for honest texts, too few for a bomb. */
const maxRepeated = 400_000;

/** `.parse_yaml()`: returns the first document of the text. An empty text is null. */
export function parseYaml(target: Value, from: string): Value {
  const text = textTarget(target, from);
  try {
    checkCharacters(text);
    return readDocument(text);
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    throw failedOn(from, `failed to parse value as YAML: yaml: ${error.message}`);
  }
}

const unreadable = /[^\t\n\r\u0020-\u007e\u0085\u00a0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** The library accepts control characters and bytes that are not UTF-8. */
function checkCharacters(text: string): void {
  const found = unreadable.exec(text);
  if (found === null) return;
  const code = found[0].charCodeAt(0);
  // A byte that is not UTF-8 is a lone surrogate.
  if (code < 0xdc80 || code > 0xdcff) throw new MappingError("control characters are not allowed");
  const lead = code - 0xdc00;
  const length = lead >= 0xf8 || lead < 0xc0 ? 0 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (length === 0) throw new MappingError("invalid leading UTF-8 octet");
  const isCut = encodeUtf8(text.slice(found.index, found.index + length)).length < length;
  throw new MappingError(isCut ? "incomplete UTF-8 octet sequence" : "invalid trailing UTF-8 octet");
}

function readDocument(text: string): Value {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, {
    schema: "failsafe",
    resolveKnownTags: false,
    lineCounter: lines,
    // The library compares each key with all keys before it. `#readMap` finds duplicates instead.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "error",
  });
  const document = Array.isArray(documents) ? documents[0] : undefined;
  const warnings = document?.warnings ?? ("warnings" in documents ? documents.warnings : []);
  if (warnings.some(({ message }) => message.startsWith("Unknown directive")))
    throw new MappingError("found unknown directive name");
  if (document === undefined) return null;
  const fault = document.errors[0];
  if (fault !== undefined) {
    throw new MappingError(`line ${lines.linePos(fault.pos[0]).line}: ${fault.message}`);
  }
  return new Reader(document, lines).read(document.contents);
}

/** The reference engine allows fewer characters in anchor names than the standard. */
function checkAnchor(node: unknown): void {
  const name =
    node instanceof Alias ? node.source : isNode(node) && "anchor" in node ? node.anchor : undefined;
  if (name !== undefined && !/^[\w-]+$/.test(name))
    throw new MappingError("did not find expected alphabetic or numeric character");
}

class Reader {
  readonly #document: Document;
  readonly #lines: LineCounter;
  /** The node of each alias: the last node before it with its anchor. */
  #sources: ReadonlyMap<Alias, Node> | undefined;
  /** The alias targets that contain the current node. */
  readonly #within = new Set<Node>();
  #repeated = 0;

  constructor(document: Document, lines: LineCounter) {
    this.#document = document;
    this.#lines = lines;
  }

  read(node: unknown): Value {
    if (this.#within.size > 0 && ++this.#repeated > maxRepeated)
      throw new MappingError("document contains excessive aliasing");
    checkAnchor(node);
    if (node instanceof Alias) return this.#readAlias(node);
    if (isScalar(node)) return scalarValue(node);
    if (isSeq(node)) return node.items.map((item) => this.read(item));
    return isMap(node) ? this.#readMap(node) : null;
  }

  #readAlias(alias: Alias): Value {
    this.#sources ??= sourcesOf(this.#document);
    const source = this.#sources.get(alias);
    if (source === undefined) throw new MappingError(`unknown anchor '${alias.source}' referenced`);
    if (this.#within.has(source)) throw new MappingError(`anchor '${alias.source}' value contains itself`);
    this.#within.add(source);
    const value = this.read(source);
    this.#within.delete(source);
    return value;
  }

  #readMap(map: YAMLMap<unknown, unknown>): Value {
    const own: [string, Value][] = [];
    const merged: [string, Value][] = [];
    const first = new Map<string, unknown>();
    for (const { key, value } of map.items) {
      if (isScalar(key)) this.#requireNew(key, first);
      if (isMergeKey(key)) for (const each of this.#merged(this.read(value))) merged.push(each);
      else own.push([textOf(this.read(key)), this.read(value)]);
    }
    return Object.fromEntries([...merged, ...own]);
  }

  /** Throws if the map already has the key. `first`: the keys so far. */
  #requireNew(key: Scalar, first: Map<string, unknown>): void {
    const text = String(key.value);
    if (first.has(text)) {
      const [line, before] = [key, first.get(text)].map((each) => this.#lineOf(each));
      throw new MappingError(
        `unmarshal errors:\n  line ${line}: mapping key ${JSON.stringify(text)} already defined at line ${before}`,
      );
    }
    first.set(text, key);
  }

  #lineOf(node: unknown): number {
    return this.#lines.linePos((isScalar(node) && node.range?.[0]) || 0).line;
  }

  /** Returns the entries of the maps after `<<`. Later entries win, so the map named first comes last. */
  #merged(value: Value): [string, Value][] {
    const maps = isArray(value) ? value.toReversed() : [value];
    return maps.flatMap((map) => {
      if (isObject(map)) return Object.entries(map);
      throw new MappingError("map merge requires map or sequence of maps as the value");
    });
  }
}

/** Finds the nodes of all aliases in one pass. The library's `Alias.resolve` searches the document for each alias. */
function sourcesOf(document: Document): ReadonlyMap<Alias, Node> {
  const anchors = new Map<string, Node>();
  const sources = new Map<Alias, Node>();
  visit(document, {
    Node(_key, node) {
      if (node instanceof Alias) {
        const source = anchors.get(node.source);
        if (source !== undefined) sources.set(node, source);
      } else if (node.anchor !== undefined) {
        anchors.set(node.anchor, node);
      }
    },
  });
  return sources;
}

function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === "<<" && key.type === Scalar.PLAIN;
}

function scalarValue(node: Scalar): Value {
  const text = typeof node.value === "string" ? node.value : String(node.source ?? "");
  switch (node.tag) {
    case undefined:
      return node.type === Scalar.PLAIN || node.type === undefined ? plainScalar(text) : text;
    case "tag:yaml.org,2002:int":
      return integerOf(text.replaceAll("_", "")) ?? refuse(text, "!!int");
    case "tag:yaml.org,2002:float":
      return floatOf(text.replaceAll("_", "")) ?? asKind(text, "number", "!!float");
    case "tag:yaml.org,2002:bool":
      return asKind(text, "boolean", "!!bool");
    case "tag:yaml.org,2002:null":
      return null;
    case "tag:yaml.org,2002:timestamp":
      return plainScalar(text);
    case "tag:yaml.org,2002:binary":
      if (!/^[A-Za-z0-9+/=\s]*$/.test(text)) return refuse(text, "!!binary");
      return textOf(Buffer.from(text, "base64"));
    default:
      return text;
  }
}

function asKind(text: string, kind: "boolean" | "number", tag: string): Value {
  const value = plainScalar(text);
  return typeof value === kind ? value : refuse(text, tag);
}

function refuse(text: string, tag: string): never {
  throw new MappingError(`cannot decode !!str \`${text}\` as a ${tag}`);
}
