// What a gateway is called where it is shipped to.

import type { Manifest } from "../emit/manifest.ts";

/** Characters that names of Kubernetes objects leave for suffixes such as `-environment` (RFC 1123 labels have 63). */
const longestName = 40;

/**
 * The id of its API as an RFC 1123 label, or `gateway` where there are several, or where nothing of the id may stand in
 * one.
 */
export function workloadName({ apis }: Pick<Manifest, "apis">): string {
  const [only, ...others] = apis;
  if (only === undefined || others.length > 0) return "gateway";
  const label = only.id
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, longestName)
    .replace(/^-+|-+$/g, "");
  // Names of services begin with a letter (RFC 1035).
  return /^[a-z]/.test(label) ? label : "gateway";
}
