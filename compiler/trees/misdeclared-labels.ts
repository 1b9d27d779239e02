// Finds labels of resources that a stream declares at invalid places: below a misspelt section, under another key, or in
// a section that cannot be read.

import { documentSchemas, resourceSections } from "../../schemas/catalogue.ts";
import type { ComponentRole } from "../../schemas/component.ts";
import { type DocumentNode, findEntry, findNode, findText, type ListNode, type MapNode } from "./document.ts";

const streamFields = documentSchemas.stream.properties ?? {};

/** The labels of a stream whose declarations cannot be read. References to them are no mistakes of their own. */
export interface MisdeclaredLabels {
  /** Whether an unknown label may be one of them. `isNear` if it resembles a label that was read. */
  has(role: ComponentRole, label: string, isNear: boolean): boolean;
}

/** Returns the labels of a stream whose declarations cannot be read. */
export function misdeclaredLabels(stream: MapNode): MisdeclaredLabels {
  let elsewhere: ReadonlySet<string> | undefined;
  const unreadTexts = new Map<DocumentNode, ReadonlySet<string> | undefined>();
  return {
    has(role, label, isNear) {
      elsewhere ??= labelsElsewhere(stream);
      if (elsewhere.has(label)) return true;
      const section = findNode(stream, resourceSections[role]);
      if (section === undefined) return false;
      if (section.kind !== "list") return !isNear;
      if (!unreadTexts.has(section)) unreadTexts.set(section, textsWithoutLabel(section));
      const texts = unreadTexts.get(section);
      return isNear ? texts?.has(label) === true : texts !== undefined;
    },
  };
}

function labelsElsewhere({ entries }: MapNode): ReadonlySet<string> {
  return new Set(
    entries.flatMap(({ key, value }) =>
      Object.hasOwn(streamFields, key) || value.kind !== "list" ? [] : value.items.flatMap(labelOf),
    ),
  );
}

function labelOf(item: DocumentNode): readonly string[] {
  const label = item.kind === "map" ? findText(findEntry(item, "label")?.value) : undefined;
  return label === undefined || label === "" ? [] : [label];
}

/** Returns the texts of entries without a label, one of which may be meant as it; `undefined` if all have one. */
function textsWithoutLabel({ items }: ListNode): ReadonlySet<string> | undefined {
  const unread = items.filter((item) => labelOf(item).length === 0);
  if (unread.length === 0) return undefined;
  return new Set(
    unread.flatMap((item) =>
      item.kind === "map" ? item.entries.flatMap(({ value }) => findText(value) ?? []) : [],
    ),
  );
}
