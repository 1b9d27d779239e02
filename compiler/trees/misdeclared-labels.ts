// Finds labels of resources that a stream declares at invalid places: below a misspelt section, or under another key.

import { documentSchemas, resourceSections } from "../../schemas/catalogue.ts";
import { type DocumentNode, findEntry, findText, type MapNode } from "./document.ts";

const streamFields = documentSchemas.stream.properties ?? {};
const sections: ReadonlySet<string> = new Set(Object.values(resourceSections));

/** Returns the labels of a stream whose declarations cannot be read. References to them are no mistake of their own. */
export function misdeclaredLabels(stream: MapNode): ReadonlySet<string> {
  return new Set(
    stream.entries.flatMap(({ key, value }) => {
      const isUnknown = !Object.hasOwn(streamFields, key);
      if (value.kind !== "list" || !(isUnknown || sections.has(key))) return [];
      return value.items.flatMap((item) => (isUnknown ? labelOf(item) : textsWithoutLabel(item)));
    }),
  );
}

function labelOf(item: DocumentNode): readonly string[] {
  const label = item.kind === "map" ? findText(findEntry(item, "label")?.value) : undefined;
  return label === undefined ? [] : [label];
}

/** Returns the texts that may have been meant as the label. */
function textsWithoutLabel(item: DocumentNode): readonly string[] {
  if (item.kind !== "map" || findEntry(item, "label") !== undefined) return [];
  return item.entries.flatMap(({ value }) => findText(value) ?? []);
}
