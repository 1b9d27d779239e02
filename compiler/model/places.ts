// Where requests find an API: below its own listen path, and as a version below that of others.

import type { ApiDocument } from "../trees/api.ts";
import { findNode, findText } from "../trees/document.ts";
import { listenPathOf } from "./listen-path.ts";
import { appliedBlock } from "./protection-blocks.ts";
import { findVersioning } from "./versions.ts";

/** One place where requests find an API. */
export interface ApiPlace {
  readonly api: ApiDocument;
  /** Begins and ends with `/`; with the name of the version where paths have one. */
  readonly path: string;
  /** As `hostOf`. */
  readonly host: string | undefined;
  /** What requests call it here, where it is a version. */
  readonly version?: string;
}

/** Whether requests only get to an API as a version of another: `info.state.internal`. */
export function isInternal(api: ApiDocument): boolean {
  return isOn(api, "info", "state", "internal");
}

/**
 * The host name an API is served under, as the gateway compares it; `undefined` for any. One that only the environment
 * knows is a text that no host name equals: APIs that read it from the same variable share it.
 */
export function hostOf(api: ApiDocument): string | undefined {
  const domain = appliedBlock(api, ["server", "customDomain"]);
  if (domain === undefined) return undefined;
  const name = findText(domain, "name") ?? "";
  if (name === "") return `? ${api.id}`;
  return name.includes("$") ? `? ${name}` : name.toLowerCase().replace(/\.$/, "");
}

/**
 * Every place where one of `served` is found, in their order; those of one API stand together, its own ones first.
 * `mounted`: those of them that have a listen path of their own.
 */
export function placesOf(
  served: readonly ApiDocument[],
  mounted: readonly ApiDocument[],
): readonly ApiPlace[] {
  const places = mounted.flatMap((base) => placesBelow(base, served));
  const ofApi = Map.groupBy(places, ({ api }) => api);
  return served.flatMap((api) => {
    const all = ofApi.get(api) ?? [];
    const own = all.filter(({ version }) => version === undefined);
    return [...own, ...all.filter(({ version }) => version !== undefined)];
  });
}

function placesBelow(base: ApiDocument, served: readonly ApiDocument[]): readonly ApiPlace[] {
  const listenPath = listenPathOf(base);
  const host = hostOf(base);
  const versioning = findVersioning(base);
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

function isOn(api: ApiDocument, ...path: readonly string[]): boolean {
  const node = findNode(api.gateway, ...path);
  return node?.kind === "scalar" && node.value === true;
}
