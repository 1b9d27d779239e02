// Rules about rates and quotas.

import { parseDuration } from "../../../../schemas/duration.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import type { Blocks } from "../../../model/blocks.ts";
import type { Route } from "../../../model/routes.ts";
import type { SetModel } from "../../../model/set.ts";
import type { WrittenLimits } from "../../../model/settings.ts";
import { booleanOf, type WrittenBlock, type WrittenValue } from "../../../model/written.ts";
import { findNode, findText } from "../../../trees/document.ts";

/** Reports limits without a number, and limits that have no effect. */
export function checkLimits({ blocks }: ApiModel, report: Report): void {
  const { rateLimit, requestSize, connectionLimit, messageRateLimit, messagePeriods } = blocks;
  reportIdle("rateLimit", rateLimit, whyNoRate(blocks), report);
  reportIdle("connectionLimit", connectionLimit, whyNoConnections(blocks), report);
  reportUnreached(blocks, report);
  for (const period of messagePeriods) {
    const [direction] = period.path.split(".").slice(-2);
    const reason = isInNoTime(period) ? inNoTime : undefined;
    reportIdle(`messageRateLimit.${direction}`, messageRateLimit, reason, report);
  }
  reportIncomplete("rateLimit", rateLimit, ["rate", "per"], report);
  reportIncomplete("requestSizeLimit", requestSize, ["value"], report);
}

function whyNoRate({ rate, ratePeriod, uncounted }: Blocks): string | undefined {
  if (rate?.node.kind === "scalar" && rate.node.value === 0) return "a `rate` of 0 is unlimited";
  if (isInNoTime(ratePeriod)) return inNoTime;
  const skipping = uncounted.find(({ path }) => path.endsWith("skipRateLimit"));
  return booleanOf(skipping?.node) === true ? "`skipRateLimit` disables it" : undefined;
}

const inNoTime = "a `per` of 0 is unlimited";

function isInNoTime(period: WrittenValue | undefined): boolean {
  return parseDuration(findText(period?.node) ?? "") === 0;
}

/** Returns why the limit has no effect: 0 means any number, and all its written numbers are 0. */
function whyNoConnections({ connections, connectionsPerKey }: Blocks): string | undefined {
  const numbers = [connections, connectionsPerKey].flatMap((number) => number?.node ?? []);
  const isIdle = numbers.length > 0 && numbers.every((node) => node.kind === "scalar" && node.value === 0);
  return isIdle ? "0 is any number" : undefined;
}

/** Reports a limit for each key that is above the limit for all keys together. */
function reportUnreached({ connectionLimit: limit, ...blocks }: Blocks, report: Report): void {
  if (limit === undefined || limit.isOff) return;
  const [all, each] = [blocks.connections?.node, blocks.connectionsPerKey?.node];
  if (all?.kind !== "scalar" || each?.kind !== "scalar") return;
  if (typeof all.value !== "number" || typeof each.value !== "number") return;
  if (all.value > 0 && each.value > all.value)
    report("GW4220", each.span, {
      field: "maxPerKey",
      reason: "`max` is lower",
      hint: "Lower `maxPerKey`, raise `max`, or remove one of them.",
    });
}

/**
 * Reports a limit without its numbers, which would not limit anything. A block with no field at all is reported
 * elsewhere.
 */
function reportIncomplete(
  field: string,
  block: WrittenBlock | undefined,
  needed: readonly string[],
  report: Report,
): void {
  if (block?.node.kind !== "map" || block.node.entries.length === 0 || block.isOff) return;
  const missing = needed.filter((name) => findNode(block.node, name) === undefined);
  if (missing.length > 0) report("GW4353", block.stateSpan, { field, missing });
}

function reportIdle(
  field: string,
  block: WrittenBlock | undefined,
  reason: string | undefined,
  report: Report,
): void {
  if (block === undefined || reason === undefined || block.isOff) return;
  report("GW4220", block.stateSpan, { field, reason });
}

/**
 * Reports rates with a `per` of 0, quotas that are never renewed, and quotas for APIs with WebSockets or event streams.
 */
export function checkQuotas({ process, routes }: SetModel, report: Report): void {
  const lasting = new Set(routes.filter(isLasting).map(({ api }) => api.id));
  for (const { limits: general, rights } of [...process.policies, ...process.keys]) {
    for (const limits of [general, ...rights.map((right) => right.limits)]) {
      reportRate(limits, report);
      reportRenewal(limits, report);
    }
    const own = rights.filter(({ key }) => lasting.has(key));
    for (const { key, limits } of own) reportQuota(limits, key, report);
    const [first] = own;
    if (first !== undefined) reportQuota(general, first.key, report);
  }
}

/**
 * Reports a quota that is never renewed and so ends access for good, unless `quota_renewal_rate: 0` shows the intent.
 */
function reportRenewal({ quota, quotaRenewal }: WrittenLimits, report: Report): void {
  if (quota?.kind !== "scalar" || typeof quota.value !== "number" || quota.value <= 0) return;
  if (quotaRenewal === undefined) report("GW4280", quota.span, {});
}

/** Reports a rate with a `per` of 0. A rate of 0 means that there is no rate limit. */
function reportRate({ rate, per }: WrittenLimits, report: Report): void {
  if (rate?.kind !== "scalar" || rate.value === 0 || per?.kind !== "scalar" || per.value !== 0) return;
  report("GW4220", per.span, { field: "rate", reason: inNoTime });
}

function isLasting({ transport, field }: Route): boolean {
  return transport === "websocket" || field === "stream_path";
}

/** Reports a positive quota: -1 means unlimited, and 0 lets nothing through. */
function reportQuota({ quota }: WrittenLimits, api: string, report: Report): void {
  if (quota?.kind === "scalar" && typeof quota.value === "number" && quota.value > 0)
    report("GW4069", quota.span, { api });
}
