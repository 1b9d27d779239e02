// Reads the versions of an API from its `info.versioning`.

import type { Span } from "../source/source.ts";
import type { ApiDocument } from "../trees/api.ts";
import { type DocumentNode, findNode, findText } from "../trees/document.ts";
import { booleanOf, itemsOf, type PartReader } from "./written.ts";

/** The place where requests name their version. */
export type VersionLocation = "url" | "header" | "url-param";

/** One version as written. Versions without a name or an id have been reported. */
export interface VersionEntry {
  readonly name: string;
  readonly nameSpan: Span;
  /** The id of the API that is this version. */
  readonly id: string;
  readonly idSpan: Span;
}

/** The versioning block of an API, with its defaults. */
export interface Versioning {
  readonly span: Span;
  /** `undefined` if the written value is invalid, which was reported. */
  readonly location: VersionLocation | undefined;
  readonly key: string | undefined;
  /** The API itself, under its own name, and the other versions in the order written. */
  readonly versions: readonly [VersionEntry, ...VersionEntry[]];
  /** The name of the version that serves requests without a version. */
  readonly fallback: string;
  /** The place of the fallback; absent if it is the API itself by default. */
  readonly fallbackSpan?: Span;
  readonly takesUnknown: boolean;
  readonly isStripped: boolean;
}

/** The name of an unnamed version, which access rights also use for an API without versions. */
export const onlyVersion = "Default";

/** The name of the API itself in `default`. */
export const ownVersion = "self";

/** Returns the versions of an API; `undefined` if it has none. */
export function readVersioning(
  { id, idSpan }: Pick<ApiDocument, "id" | "idSpan">,
  gateway: PartReader,
): Versioning | undefined {
  const block = gateway.block("info", "versioning");
  if (block === undefined || block.enabled !== true) return undefined;
  const { span } = block.node;
  const text = (name: string) => findText(block.node, name);
  const isOn = (name: string) => booleanOf(findNode(block.node, name)) === true;
  const nameNode = findNode(block.node, "name");
  const name = findText(nameNode) ?? onlyVersion;
  const own = { name, nameSpan: nameNode?.span ?? span, id, idSpan };
  const fallbackNode = findNode(block.node, "default");
  const written = findText(fallbackNode) ?? ownVersion;
  const location = text("location");
  return {
    span,
    location: location === "url" || location === "header" || location === "url-param" ? location : undefined,
    key: text("key"),
    versions: [own, ...itemsOf(findNode(block.node, "versions")).flatMap(readEntry)],
    fallback: written === ownVersion ? name : written,
    ...(fallbackNode === undefined ? {} : { fallbackSpan: fallbackNode.span }),
    takesUnknown: isOn("fallbackToDefault"),
    isStripped: isOn("stripVersioningData"),
  };
}

function readEntry(node: DocumentNode): readonly VersionEntry[] {
  const name = findNode(node, "name");
  const id = findNode(node, "id");
  const [nameText, idText] = [findText(name), findText(id)];
  if (name === undefined || id === undefined || nameText === undefined || idText === undefined) return [];
  return [{ name: nameText, nameSpan: name.span, id: idText, idSpan: id.span }];
}
