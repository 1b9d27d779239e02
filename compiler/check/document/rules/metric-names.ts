// Numbers that documents ask for beside those of the gateway.

import { descriptorOf } from "../../../../schemas/component.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { componentsOf } from "../../../model/components.ts";
import type { SetModel } from "../../../model/set.ts";
import { findField, literalText } from "../../../trees/fields.ts";

/** Reports names that the gateway's own numbers have, where Prometheus reads both. */
export function checkMetricNames({ process, served }: SetModel, report: Report): void {
  const exporter = process.exporters.prometheus;
  if (exporter === undefined || exporter.isOff) return;
  for (const component of served.flatMap(({ streams }) => streams).flatMap(componentsOf)) {
    if (component.role !== "processor") continue;
    if (descriptorOf("processor", component)?.definesMetric !== true) continue;
    const value = findField(component.config, "name");
    const name = literalText(value);
    if (value !== undefined && name?.startsWith("sluice_")) report("GW4243", value.span, { name });
  }
}
