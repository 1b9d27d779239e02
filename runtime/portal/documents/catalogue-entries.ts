// The entries of a catalogue, and the ones that name what a request asks for.

import type { Catalogue } from "../generated/catalogue.ts";

/** An entry of a catalogue. */
export type CatalogueEntry = NonNullable<Catalogue["apis"]>[number];

/** Returns the entries for these policies, those of the requested version first. */
export function entriesFor(
  catalogue: readonly CatalogueEntry[],
  policies: readonly string[],
  version: string | undefined,
): readonly CatalogueEntry[] {
  const found = catalogue.filter(({ policy_id: id }) => id !== undefined && policies.includes(id));
  const isFitting = (entry: CatalogueEntry) => entry.version === version;
  return [...found.filter(isFitting), ...found.filter((entry) => !isFitting(entry))];
}

/** Returns the fields that decide which entry names a request, and how. */
export function namesIn(catalogue: readonly CatalogueEntry[]) {
  return catalogue.map(({ name, policy_id: policy, version }) => ({ name, policy, version }));
}
