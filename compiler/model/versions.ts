// The versions of an API, as its `info.versioning` says.

import type { Span } from "../source/source.ts";
import type { ApiDocument } from "../trees/api.ts";
import { type DocumentNode, findNode, findText } from "../trees/document.ts";

/** Where requests name their version. */
export type VersionLocation = "url" | "header" | "url-param";

/** One version as it was written; what has no name or no id was reported. */
export interface VersionEntry {
  readonly name: string;
  readonly nameSpan: Span;
  /** Id of the API that it is. */
  readonly id: string;
  readonly idSpan: Span;
}

/** The block of an API that has versions, with its defaults. */
export interface Versioning {
  readonly span: Span;
  /** `undefined` where what is written is none, which was reported. */
  readonly location: VersionLocation | undefined;
  readonly key: string | undefined;
  /** The API itself, under its own name, and the others in the order written. */
  readonly versions: readonly [VersionEntry, ...VersionEntry[]];
  /** Name of the version that answers requests which name none. */
  readonly fallback: string;
  /** Where that was written; absent for the API itself by default. */
  readonly fallbackSpan?: Span;
  readonly takesUnknown: boolean;
  readonly isStripped: boolean;
}

/** What a version is called that nobody gave a name; access rights call the version of an API without others so, too. */
export const onlyVersion = "Default";

/** What `default` calls the API itself. */
export const ownVersion = "self";

/** The versions of an API; `undefined` where it has none. */
export function findVersioning(api: ApiDocument): Versioning | undefined {
  const block = findNode(api.gateway, "info", "versioning");
  if (block === undefined || !isOn(block, "enabled")) return undefined;
  const nameNode = findNode(block, "name");
  const name = findText(nameNode) ?? onlyVersion;
  const own = { name, nameSpan: nameNode?.span ?? block.span, id: api.id, idSpan: api.idSpan };
  const listed = findNode(block, "versions");
  const others = listed?.kind === "list" ? listed.items.flatMap(readEntry) : [];
  const fallbackNode = findNode(block, "default");
  const written = findText(fallbackNode) ?? ownVersion;
  const location = findText(block, "location");
  return {
    span: block.span,
    location: location === "url" || location === "header" || location === "url-param" ? location : undefined,
    key: findText(block, "key"),
    versions: [own, ...others],
    fallback: written === ownVersion ? name : written,
    ...(fallbackNode === undefined ? {} : { fallbackSpan: fallbackNode.span }),
    takesUnknown: isOn(block, "fallbackToDefault"),
    isStripped: isOn(block, "stripVersioningData"),
  };
}

function readEntry(node: DocumentNode): readonly VersionEntry[] {
  const name = findNode(node, "name");
  const id = findNode(node, "id");
  const [nameText, idText] = [findText(name), findText(id)];
  if (name === undefined || id === undefined || nameText === undefined || idText === undefined) return [];
  return [{ name: nameText, nameSpan: name.span, id: idText, idSpan: id.span }];
}

function isOn(block: DocumentNode, name: string): boolean {
  const node = findNode(block, name);
  return node?.kind === "scalar" && node.value === true;
}
