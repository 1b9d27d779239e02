// From what a request says to a version of an API.

import { GatewayError } from "../../errors.ts";
import type { ApiVersion } from "../versioning.ts";

/** The `versioning` block, as the compiler hands it over. */
export interface VersioningBlock {
  /** The API itself among them. */
  readonly versions: readonly ApiVersion[];
  /** Name of the one for requests that name none. */
  readonly default: string;
  /** Whether requests that name an unknown one get that, too. */
  readonly fallbackToDefault?: boolean;
  /** Whether the name is taken off before a request goes on. */
  readonly stripVersioningData?: boolean;
}

/** The same where a header or a parameter holds the name. */
export interface KeyedVersioningBlock extends VersioningBlock {
  readonly key: string;
}

/** From a name, or none, to a version whose API runs; 404 for an unknown name. */
export type FindVersion = (
  name: string | undefined,
  runs: (id: string) => boolean,
) => { readonly version: ApiVersion; readonly isNamed: boolean } | GatewayError;

/** A block with its names looked up. */
export interface VersionTable {
  /** Of requests that name none. */
  readonly fallback: ApiVersion;
  readonly find: FindVersion;
}

/** Reads a block. Throws where it has no version of the default name, which the compiler sees to. */
export function createVersionTable(block: VersioningBlock): VersionTable {
  const byName = new Map(block.versions.map((version) => [version.name, version]));
  const fallback = byName.get(block.default);
  if (fallback === undefined) throw new Error(`there is no version ${block.default}`);
  return {
    fallback,
    find(name, runs) {
      const named = name === undefined ? undefined : byName.get(name);
      if (named !== undefined && runs(named.id)) return { version: named, isNamed: true };
      const fallsBack = name === undefined || block.fallbackToDefault === true;
      if (fallsBack && runs(fallback.id)) return { version: fallback, isNamed: false };
      return new GatewayError(404, "This API version does not seem to exist", { reason: "version" });
    },
  };
}
