// How requests are led to APIs: replaced as a whole, so that no request sees half of a change.

import type { ServedApi } from "../http/call.ts";
import type { Router } from "../http/router.ts";

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
