// Numbers that documents ask for beside those of the gateway.

import { findComponent } from "../../../../schemas/catalogue.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { findNode } from "../../../trees/document.ts";
import { componentsOf, findField, literalText } from "../components.ts";
import type { SetFacts } from "../set-facts.ts";

/** Reports names that the gateway's own numbers have, where Prometheus reads both. */
export function checkMetricNames({ set, served }: Pick<SetFacts, "set" | "served">, report: Report): void {
  const exporter = set.settings && findNode(set.settings, "analytics", "prometheus");
  const enabled = exporter && findNode(exporter, "enabled");
  if (exporter === undefined || (enabled?.kind === "scalar" && enabled.value === false)) return;
  for (const component of served.flatMap(({ streams }) => streams).flatMap(componentsOf)) {
    if (component.role !== "processor") continue;
    if (findComponent("processor", component.name)?.definesMetric !== true) continue;
    const value = findField(component.config, "name")?.value;
    const name = literalText(value);
    if (value !== undefined && name?.startsWith("sluice_")) report("GW4243", value.span, { name });
  }
}
