// Where APIs are found, between organisations: each host name and each listen path belongs to one of them.

import type { ApiModel } from "../../model/api.ts";
import { isMounted } from "../../model/places.ts";

/** What other organisations have. */
export interface TakenPlaces {
  /** Their APIs. */
  readonly apis: readonly ApiModel[];
  /** Whether a host name, in lower case, is assigned to one of them. */
  isHostTaken(host: string): boolean;
  /** Path prefixes that are assigned to them. */
  readonly paths: readonly string[];
}

/**
 * Whether an API would be found where another organisation's is: under its host name, or at, above or below its listen
 * path, unless the host names tell them apart. An API without a host name answers under all.
 */
export function isPlaceTaken(api: ApiModel, { apis, isHostTaken, paths }: TakenPlaces): boolean {
  if (!isMounted(api)) return false;
  const [host, path] = [nameOf(api), comparable(api.listenPath)];
  const isAssigned =
    paths.some((each) => isNested(path, comparable(`/${each}/`))) ||
    (host !== undefined && isHostTaken(host));
  return (
    isAssigned ||
    apis.some((other) => {
      if (!isMounted(other)) return false;
      const otherHost = nameOf(other);
      if (host !== undefined && otherHost !== undefined) return host === otherHost;
      return isNested(path, comparable(other.listenPath));
    })
  );
}

/** A host name that only the environment knows could be any. */
function nameOf(api: ApiModel): string | undefined {
  const host = api.host;
  return host?.startsWith("? ") ? undefined : host;
}

/** One spelling of a path: whatever an upstream or another gateway may take for the same. */
function comparable(path: string): string {
  const decoded = path.replace(/%[0-9a-f]{2}/gi, (code) =>
    String.fromCharCode(Number.parseInt(code.slice(1), 16)),
  );
  return decoded.replace(/\/+/g, "/").toLowerCase();
}

function isNested(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}
