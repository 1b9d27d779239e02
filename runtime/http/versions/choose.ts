// Chooses the version of an API from the name in a request.

import { GatewayError } from "../../errors.ts";
import type { ApiVersion } from "../versioning.ts";

/** The `versioning` block, as the compiler emits it. */
export interface VersioningBlock {
  /** Includes the API itself. */
  readonly versions: readonly ApiVersion[];
  /** The name of the version for requests that name none. */
  readonly default: string;
  /** Whether the default version also serves requests that name an unknown version. */
  readonly fallbackToDefault?: boolean;
  /** Whether the name is removed before a request is passed on. */
  readonly stripVersioningData?: boolean;
}

/** A block for versions that a header or a parameter names. */
export interface KeyedVersioningBlock extends VersioningBlock {
  readonly key: string;
}

/** Finds the version, with a running API, for an optional name; returns a 404 error for an unknown name. */
export type FindVersion = (
  name: string | undefined,
  runs: (id: string) => boolean,
) => { readonly version: ApiVersion; readonly isNamed: boolean } | GatewayError;

/** A block with its names looked up. */
export interface CompiledVersions {
  /** The version for requests that name none. */
  readonly fallback: ApiVersion;
  readonly find: FindVersion;
}

/** Compiles a block. Throws if no version has the default name, which the compiler prevents. */
export function createVersionTable(block: VersioningBlock): CompiledVersions {
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
