// Determines the places at which requests find an API: below its own listen path, and as a version below that of
// others.

import type { ApiModel } from "./api.ts";
import { componentsOf, servesClients } from "./components.ts";

/** One place where requests find an API. */
export interface ApiPlace {
  readonly api: ApiModel;
  /** Begins and ends with `/`. Includes the name of the version if paths contain it. */
  readonly path: string;
  /** See `ApiModel.host`. */
  readonly host: string | undefined;
  /** The name of the version here, if it is one. */
  readonly version?: string;
}

/**
 * Whether the gateway mounts an API at its listen path. It does not mount an internal API, or an API at `/` that has
 * nothing to respond with: no component that serves clients, no upstream, no versions. Such an API only moves messages
 * between brokers. `runtime/gateway/running-api.ts` has the same rule.
 */
export function isMounted({ isInternal, listenPath, upstream, versioning, streams }: ApiModel): boolean {
  if (isInternal) return false;
  return (
    listenPath !== "/" ||
    upstream.url !== undefined ||
    versioning !== undefined ||
    streams.flatMap(componentsOf).some(servesClients)
  );
}

/**
 * Returns every place of the `served` APIs, in their order. The places of one API are consecutive, its own ones first.
 * `mounted`: the APIs among them that have a listen path of their own.
 */
export function placesOf(served: readonly ApiModel[], mounted: readonly ApiModel[]): readonly ApiPlace[] {
  const places = mounted.flatMap((base) => placesBelow(base, served));
  const ofApi = Map.groupBy(places, ({ api }) => api);
  return served.flatMap((api) => {
    const all = ofApi.get(api) ?? [];
    const own = all.filter(({ version }) => version === undefined);
    return [...own, ...all.filter(({ version }) => version !== undefined)];
  });
}

function placesBelow(base: ApiModel, served: readonly ApiModel[]): readonly ApiPlace[] {
  const { listenPath, host, versioning } = base;
  if (versioning === undefined) return [{ api: base, path: listenPath, host }];
  const { location, versions, takesUnknown, fallback } = versioning;
  const isInPath = location === "url";
  return versions.flatMap(({ name, id }): readonly ApiPlace[] => {
    const api = served.find((each) => each.id === id);
    if (api === undefined) return [];
    const named = { api, path: isInPath ? `${listenPath}${name}/` : listenPath, host, version: name };
    const answersRest = isInPath && takesUnknown && name === fallback;
    return answersRest ? [named, { api, path: listenPath, host, version: name }] : [named];
  });
}
