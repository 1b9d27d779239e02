// Separates the APIs of organisations: each host name and each listen path belongs to one organisation.

import type { ApiModel } from "../../model/api.ts";
import { isMounted } from "../../model/places.ts";

/** The APIs, host names and paths of other organisations. */
export interface TakenPlaces {
  /** Their APIs. */
  readonly apis: readonly ApiModel[];
  /** Whether a host name, in lower case, is assigned to one of them. */
  isHostTaken(host: string): boolean;
  /** Path prefixes that are assigned to them. */
  readonly paths: readonly string[];
}

/**
 * Whether an API would share a place with an API of another organisation: its host name, or a listen path that is equal
 * to, above or below its own, unless the host names differ. An API without a host name answers under all host names.
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

/** Returns the host name; one that only the environment knows could be any. */
function nameOf(api: ApiModel): string | undefined {
  const host = api.host;
  return host?.startsWith("? ") ? undefined : host;
}

/** Returns one spelling for all paths that an upstream or another gateway may treat as equal. */
function comparable(path: string): string {
  const decoded = path.replace(/%[0-9a-f]{2}/gi, (code) =>
    String.fromCharCode(Number.parseInt(code.slice(1), 16)),
  );
  return decoded.replace(/\/+/g, "/").toLowerCase();
}

/** Whether some path is below both. A parameter stands for any segment. */
function isNested(one: string, other: string): boolean {
  const [segments, others] = [segmentsOf(one), segmentsOf(other)];
  return segments.slice(0, others.length).every((segment, index) => {
    const paired = others[index] ?? "";
    return segment === paired || segment.includes("{") || paired.includes("{");
  });
}

function segmentsOf(path: string): readonly string[] {
  return path.split("/").filter((segment) => segment !== "");
}
