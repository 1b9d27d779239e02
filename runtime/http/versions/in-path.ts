// Versions that the first segment below the listen path names: `/orders/v2/new`.

import { GatewayError } from "../../errors.ts";
import type { Versions } from "../versioning.ts";
import { createVersionTable, type VersioningBlock } from "./choose.ts";

/**
 * The first segment, decoded, is the name; case-sensitive. An empty segment is not a name: with nothing below the
 * listen path, the default version responds. If unknown names fall back to the default version, it gets the whole
 * path.
 */
export function versionsInPath(block: VersioningBlock): Versions {
  const { fallback, find } = createVersionTable(block);
  return {
    all: block.versions,
    isInPath: true,
    isStripped: block.stripVersioningData === true,
    unnamed: block.fallbackToDefault === true ? fallback : undefined,
    choose(_asked, { segments }, runs) {
      const [first = ""] = segments;
      const found = find(first === "" && segments.length === 1 ? undefined : first, runs);
      return found instanceof GatewayError ? found : { version: found.version, isInPath: found.isNamed };
    },
  };
}
