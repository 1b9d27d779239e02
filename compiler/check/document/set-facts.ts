// What rules about a whole set may look at.

import type { ApiPlace } from "../../model/places.ts";
import type { ApiDocument, ApiSet } from "../../trees/api.ts";
import type { Route } from "./routes.ts";

/** A set and what is known of it before its rules are looked at. */
export interface SetFacts {
  readonly set: ApiSet;
  /** The APIs that are served. */
  readonly served: readonly ApiDocument[];
  /** Those of them that have a listen path of their own. */
  readonly mounted: readonly ApiDocument[];
  /** Where requests find them. */
  readonly places: readonly ApiPlace[];
  /** Their routes, in the order written. */
  readonly routes: readonly Route[];
}
