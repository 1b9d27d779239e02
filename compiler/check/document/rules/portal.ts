// What stands beside the portal: APIs, and how webhooks are delivered.

import type { Report } from "../../../diagnostics/sink.ts";
import { listenPathOf } from "../../../model/listen-path.ts";
import { hasPortal } from "../../../model/store.ts";
import { findEntry, findNode } from "../../../trees/document.ts";
import type { SetFacts } from "../set-facts.ts";

/**
 * Reports APIs that listen where the portal is served, which takes those requests before them, and settings of webhooks
 * that nobody delivers.
 */
export function checkPortal({ set, served }: Pick<SetFacts, "set" | "served">, report: Report): void {
  const webhooks = findEntry(set.settings, "webhooks");
  if (webhooks !== undefined && !hasPortal(set.settings)) report("GW4276", webhooks.keySpan, {});
  const isApart = findEntry(findNode(set.settings, "portal"), "listen") !== undefined;
  if (!hasPortal(set.settings) || isApart) return;
  for (const api of served) {
    const node = findNode(api.gateway, "server", "listenPath", "value");
    if (listenPathOf(api).startsWith("/api/portal/"))
      report("GW4260", node?.span ?? api.idSpan, { api: api.id });
  }
}
