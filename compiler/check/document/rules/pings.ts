// Pings of a socket against the time after which a silent one is dropped.

import { parseDuration } from "../../../../schemas/duration.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import type { ComponentNode } from "../../../trees/api.ts";
import type { NamedField } from "../../../trees/fields.ts";
import { findNamedField } from "../../../trees/fields.ts";

/** Reports a `ping_period` that leaves no pause, or is not shorter than `pong_wait`: at the one that was written. */
export function checkPings(component: ComponentNode, report: Report): void {
  const ping = durationOf(component, "ping_period");
  const pong = durationOf(component, "pong_wait");
  if (ping.field !== undefined && ping.milliseconds !== undefined && ping.milliseconds < 1) {
    report("GW4073", ping.field.value.span, {});
    return;
  }
  const span = (ping.field ?? pong.field)?.value.span;
  if (span === undefined || ping.milliseconds === undefined || pong.milliseconds === undefined) return;
  if (ping.milliseconds < pong.milliseconds) return;
  report("GW4042", span, { ping: `${ping.milliseconds / 1000}s`, pong: `${pong.milliseconds / 1000}s` });
}

interface Duration {
  readonly field: NamedField | undefined;
  /** Absent where it is not known now, or there is no such field. */
  readonly milliseconds: number | undefined;
}

function durationOf({ config, descriptor }: ComponentNode, field: string): Duration {
  const found = findNamedField(config, field);
  if (found !== undefined) {
    return {
      field: found,
      milliseconds: found.value.kind === "Duration" ? found.value.milliseconds : undefined,
    };
  }
  const fallback = descriptor?.schema.properties?.[field]?.default;
  return {
    field: undefined,
    milliseconds: typeof fallback === "string" ? parseDuration(fallback) : undefined,
  };
}
