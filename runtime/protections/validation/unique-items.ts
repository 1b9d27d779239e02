// `uniqueItems` of schemas in time linear in the size of the value: ajv compares each item with each other.

import { Identities, identitiesOf } from "../../text/json-identity.ts";
import { identifyWritten } from "./written-numbers.ts";

/**
 * Whether no two items are equal as JSON; the order of an object's keys does not matter. `root`: the value that contains
 * the list and does not change while it is checked. Lists in each other then read their common parts once.
 */
export function hasUniqueItems(items: readonly unknown[], root?: object): boolean {
  const identities =
    root === undefined ? new Identities(identifyWritten) : identitiesOf(root, identifyWritten);
  const met = new Set<string>();
  for (const [index, item] of items.entries()) met.add(identities.at(items, index, item));
  return met.size === items.length;
}
