// The data that the check of one stream depends on, in addition to the stream: if it is unchanged, earlier results are
// valid.

import type { ApiModel } from "../model/api.ts";
import type { SetModel } from "../model/set.ts";
import { once } from "../model/written.ts";

/** References to anything except components and operations: they may lead into streams. */
const otherReference =
  /\$(?:ref|dynamicRef|recursiveRef)["']?\s*:\s*["']?[^\s"'#]*#(?!\/components\/|\/paths\/)/;

/**
 * Returns everything in a set that the check of a stream of `api` reads, as values to compare: the document without its
 * streams, their names, the settings, the other documents, and `further`. Nothing is computed before the first call.
 */
export function streamInputs(api: ApiModel, set: SetModel, ...further: readonly unknown[]) {
  return once((): readonly unknown[] => [...inputsOf(api, set), ...further]);
}

/** Caches the inputs: rules, types and scripts each request them. */
const known = new WeakMap<SetModel, Map<ApiModel, readonly unknown[]>>();

function inputsOf(api: ApiModel, set: SetModel): readonly unknown[] {
  const ofSet = known.get(set) ?? new Map<ApiModel, readonly unknown[]>();
  known.set(set, ofSet);
  const inputs = ofSet.get(api) ?? findInputs(api, set);
  ofSet.set(api, inputs);
  return inputs;
}

function findInputs(api: ApiModel, set: SetModel): readonly unknown[] {
  const { root, streaming, streamsNode: streams, file } = api;
  const isRoot = root === streaming || streaming === undefined || otherReference.test(file.text);
  const named = root.entries.filter(({ key }) => !/^x-(?:gw|tyk)-streaming$/.test(key));
  const beside = (streaming?.entries ?? []).filter(({ key }) => key !== "streams");
  const names = streams?.kind === "map" ? streams.entries.map(({ key }) => key) : [];
  const others = set.documents.filter((each) => each.root !== root).map((each) => each.root);
  const served = set.apis.map((each) => `${each.id} ${each.isServed}`);
  return [
    ...[file.path, api.id, api.openapi, set.dialect, set.settings, isRoot ? root : undefined],
    ...[...named, ...beside].flatMap(({ key, value }) => [key, value]),
    ...[...names, ...others, ...served],
  ];
}
