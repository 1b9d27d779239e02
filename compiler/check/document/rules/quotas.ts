// Quotas on APIs whose clients stay connected: what is counted is connections.

import type { Report } from "../../../diagnostics/sink.ts";
import type { Route } from "../../../model/routes.ts";
import type { SetModel } from "../../../model/set.ts";
import { type DocumentNode, findNode } from "../../../trees/document.ts";

/** Reports quotas of policies and keys that give access to sockets and event streams. */
export function checkQuotas({ process, routes }: SetModel, report: Report): void {
  const lasting = new Set(routes.filter(isLasting).map(({ api }) => api.id));
  for (const { node, rights } of [...process.policies, ...process.keys]) {
    const own = rights.filter(({ key }) => lasting.has(key));
    for (const { key, value } of own) reportQuota(findNode(value, "limit", "quota_max"), key, report);
    const [first] = own;
    if (first !== undefined) reportQuota(findNode(node, "quota_max"), first.key, report);
  }
}

function isLasting({ transport, field }: Route): boolean {
  return transport === "websocket" || field === "stream_path";
}

/** -1 is no quota, and 0 lets nothing through. */
function reportQuota(quota: DocumentNode | undefined, api: string, report: Report): void {
  if (quota?.kind === "scalar" && typeof quota.value === "number" && quota.value > 0)
    report("GW4069", quota.span, { api });
}
