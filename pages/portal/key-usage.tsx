// Shows the remainder of a key's limits as bars.

import type { LimitUsage } from "../../runtime/portal/page/key-usage.ts";
import type { OwnKey } from "../../runtime/portal/page/own-records.ts";
import { useFetched } from "../kit/fetched.tsx";
import { Meter } from "../kit/parts.tsx";
import type { Listed } from "./interface.ts";
import { t } from "./messages.ts";
import { useOwner } from "./owner.tsx";

/** Milliseconds between two requests for the usage. */
const every = 10_000;

/** Shows the limits of a key; only as text until the server reports the usage, or if it cannot. */
export function KeyUsage({ own }: { readonly own: OwnKey }) {
  const { ask } = useOwner();
  const path = `/keys/${encodeURIComponent(own.id)}/usage`;
  const usage = useFetched(() => ask<Listed<LimitUsage>>("GET", path), { keys: [own.id], every });
  const limits = usage.answer?.Data ?? [];
  if (limits.length === 0 || usage.failure !== undefined)
    return <>{own.limits.join("; ") || t("word.none")}</>;
  return (
    <div class="stack">
      {limits.map((limit) => (
        <Meter
          key={`${limit.kind} ${limit.scope}`}
          name={nameOf(limit)}
          used={Math.max(0, limit.max - limit.left)}
          limit={limit.max}
          more={moreOf(limit)}
        />
      ))}
    </div>
  );
}

function nameOf({ kind, scope, period }: LimitUsage): string {
  const name = kind === "quota" ? t("word.quota") : t("usage.rate", { time: spoken(period) });
  return scope === "" ? name : `${name} (${scope})`;
}

function moreOf({ kind, left, renews_in: seconds }: LimitUsage): string {
  if (kind === "rate" || seconds === 0) return t("usage.left", { left });
  return seconds < 0
    ? t("usage.neverRenewed", { left })
    : t("usage.renewed", { left, time: spoken(seconds) });
}

/** Formats a duration in the largest unit of which it has at least two. */
export function spoken(seconds: number): string {
  if (seconds < 120) return t("time.seconds", { value: seconds });
  if (seconds < 7_200) return t("time.minutes", { value: Math.round(seconds / 60) });
  return seconds < 172_800
    ? t("time.hours", { value: Math.round(seconds / 3_600) })
    : t("time.days", { count: Math.round(seconds / 86_400) });
}
