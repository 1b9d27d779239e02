// How requests are led to APIs: replaced as a whole, so that no request sees half of a change.

import type { Router } from "../router.ts";
import type { ServedApi } from "./call.ts";

/** What leads requests at a time. */
export interface Routing {
  readonly router: Router<ServedApi>;
  /** Whether any API says which pages may call it. */
  readonly hasCors: boolean;
}

/** Where the routing of the moment is looked up. */
export interface RoutingReference {
  readonly current: Routing;
}
