// What stands beside the portal: APIs, and how webhooks are delivered.

import type { Report } from "../../../diagnostics/sink.ts";
import type { SetModel } from "../../../model/set.ts";

/**
 * Reports APIs that listen where the portal is served, which takes those requests before them, and settings of webhooks
 * that nobody delivers.
 */
export function checkPortal({ process, served }: SetModel, report: Report): void {
  const { portal, webhooks } = process;
  if (webhooks !== undefined && !portal.isEnabled) report("GW4276", webhooks.keySpan, {});
  if (!portal.isEnabled || portal.listen !== undefined) return;
  for (const { id, idSpan, listenPath, writtenListenPath } of served) {
    if (listenPath.startsWith("/api/portal/"))
      report("GW4260", writtenListenPath?.node.span ?? idSpan, { api: id });
  }
}
