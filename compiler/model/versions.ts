// The versions of an API, as its `info.versioning` says.

import type { Span } from "../source/source.ts";
import type { ApiDocument } from "../trees/api.ts";
import { type DocumentNode, findNode, findText } from "../trees/document.ts";
import { booleanOf, itemsOf, type PartReader } from "./written.ts";

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
  /** `undefined` where what is written is not one, which was reported. */
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

/** The name of a version without a name of its own; access rights call the version of an API without others so, too. */
export const onlyVersion = "Default";

/** What `default` calls the API itself. */
export const ownVersion = "self";

/** The versions of an API; `undefined` where it has none. */
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
