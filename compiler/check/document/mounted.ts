// Which APIs requests find at a listen path of their own.

import { listenPathOf } from "../../model/listen-path.ts";
import { isInternal } from "../../model/places.ts";
import { findVersioning } from "../../model/versions.ts";
import type { ApiDocument, ApiSet } from "../../trees/api.ts";
import { fieldsOf } from "../../trees/fields.ts";
import { componentsOf, servesClients } from "./components.ts";
import { hasUpstream } from "./declared.ts";

/**
 * Whether the gateway mounts an API at its listen path. It does not mount one that is internal, nor one at `/` that has
 * nothing to answer with: no component that serves clients, no upstream, no versions. Such an API only moves messages
 * between brokers. `runtime/gateway/running-api.ts` has the same rule.
 */
export function isMounted(api: ApiDocument): boolean {
  if (isInternal(api)) return false;
  return (
    listenPathOf(api) !== "/" ||
    hasUpstream(api) ||
    findVersioning(api) !== undefined ||
    api.streams.flatMap(componentsOf).some(servesClients)
  );
}

/** Those of `served` that are mounted. A dead-letter output that all streams share may serve clients in each of them. */
export function findMounted(
  served: readonly ApiDocument[],
  { settingsFields }: Pick<ApiSet, "settingsFields">,
): readonly ApiDocument[] {
  const common = settingsFields === undefined ? [] : [...fieldsOf({ settingsFields, apis: [] })];
  const isServing = common.some((field) => field.kind === "Component" && servesClients(field.component));
  return served.filter((api) => isMounted(api) || (isServing && !isInternal(api) && api.streams.length > 0));
}
