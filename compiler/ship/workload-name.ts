// The name of a gateway in the environments that it is shipped to.

import type { Manifest } from "../emit/manifest.ts";

/**
 * Maximum length that leaves room for suffixes such as `-environment` in names of Kubernetes objects (RFC 1123: 63).
 */
const longestName = 40;

/**
 * Returns the id of the API as an RFC 1123 label; `gateway` if there are several APIs, or if the id contains no
 * characters that a label may have.
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
