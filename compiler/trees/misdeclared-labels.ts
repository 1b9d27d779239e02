// Labels of resources that a stream declares where none can be read: below a misspelt section, or under another key.

import { documentSchemas, resourceSections } from "../../schemas/catalogue.ts";
import { type DocumentNode, findEntry, findText, type MapNode } from "./document.ts";

const streamFields = documentSchemas.stream.properties ?? {};
const sections: ReadonlySet<string> = new Set(Object.values(resourceSections));

/** The labels of a stream that are declared in vain: what names one of them is not at fault. */
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

/** What may have been meant as the label. */
function textsWithoutLabel(item: DocumentNode): readonly string[] {
  if (item.kind !== "map" || findEntry(item, "label") !== undefined) return [];
  return item.entries.flatMap(({ value }) => findText(value) ?? []);
}
