// Resolves the model of a set of documents, which all later phases read.

import type { ApiSet } from "../trees/api.ts";
import { fieldsOf } from "../trees/fields.ts";
import { type ApiModel, resolveApi } from "./api.ts";
import { servesClients } from "./components.ts";
import { type ApiPlace, isMounted, placesOf } from "./places.ts";
import { collectRoutes, type Route } from "./routes.ts";
import { resolveSettings, type SettingsModel } from "./settings.ts";
import { once } from "./written.ts";

/** A set and its resolved meaning. */
export interface SetModel extends ApiSet {
  readonly apis: readonly ApiModel[];
  readonly process: SettingsModel;
  /** The APIs that are served. */
  readonly served: readonly ApiModel[];
  /** The served APIs that have a listen path of their own. */
  readonly mounted: readonly ApiModel[];
  /** The places where requests find the served APIs. */
  readonly places: readonly ApiPlace[];
  /** The routes of the served APIs, in the order written. */
  readonly routes: readonly Route[];
}

/** Resolves a set whose APIs are already resolved, so that several sets can share them. */
export function resolveSet(set: Omit<ApiSet, "apis"> & Pick<SetModel, "apis">): SetModel {
  const served = set.apis.filter(({ isServed }) => isServed);
  const mounted = once(() => findMounted(served, set));
  const places = once(() => placesOf(served, mounted()));
  const routes = once(() =>
    served.flatMap((api) =>
      collectRoutes(
        api,
        places().find((place) => place.api === api),
      ),
    ),
  );
  return {
    ...set,
    process: resolveSettings(set),
    served,
    get mounted() {
      return mounted();
    },
    get places() {
      return places();
    },
    get routes() {
      return routes();
    },
  };
}

/** Resolves a set and its APIs. */
export function resolveAll(set: ApiSet): SetModel {
  return resolveSet({ ...set, apis: set.apis.map(resolveApi) });
}

/**
 * Returns the mounted APIs among `served`. A dead-letter output that all streams share may serve clients in each API.
 */
function findMounted(
  served: readonly ApiModel[],
  { settingsFields }: Pick<ApiSet, "settingsFields">,
): readonly ApiModel[] {
  const common = settingsFields === undefined ? [] : [...fieldsOf({ settingsFields, apis: [] })];
  const isServing = common.some((field) => field.kind === "Component" && servesClients(field.component));
  return served.filter((api) => isMounted(api) || (isServing && !api.isInternal && api.streams.length > 0));
}
