// Policies and keys of `gateway.yaml`, and what they give access to.

import type { ApiSet } from "../../trees/api.ts";
import { type DocumentNode, findEntry, findNode, findText, type MapEntry } from "../../trees/document.ts";

/** A policy or a key as it was written. */
export interface AccessRecord {
  readonly node: DocumentNode;
  /** The entries of `access_rights`, by id of the API. */
  readonly rights: readonly MapEntry[];
}

/** The policies and keys of a set. */
export function accessRecords({ settings }: ApiSet): readonly AccessRecord[] {
  return ["policies", "keys"].flatMap((name) =>
    itemsOf(findNode(settings, name)).map((node) => ({ node, rights: rightsOf(node) })),
  );
}

/** The ids of the policies that are written in the settings. */
export function policyIds({ settings }: ApiSet): readonly string[] {
  return itemsOf(findNode(settings, "policies")).flatMap(
    (policy) => findText(policy, "id") ?? findText(policy, "_id") ?? [],
  );
}

/** The items of a node that is a list. */
export function itemsOf(node: DocumentNode | undefined): readonly DocumentNode[] {
  return node?.kind === "list" ? node.items : [];
}

function rightsOf(record: DocumentNode): readonly MapEntry[] {
  const rights = findEntry(record, "access_rights")?.value;
  return rights?.kind === "map" ? rights.entries : [];
}
