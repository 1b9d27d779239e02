import { renderRows } from "../crash/verdict.ts";
import type { ScenarioResult } from "./scenario.ts";

/**
 * The maximum memory of a gateway, in MB: the needs of Node and of the code (about 110 resident, 30 of heap), plus twice
 * the messages in flight and held ahead, because garbage is not collected immediately.
 */
export const bound = { resident: 384, heap: 192 };

/** Returns the problems of a result; empty if memory stayed below the bound and traffic continued afterwards. */
export function complaints({ scenario, peak, lost }: ScenarioResult): string[] {
  const found: string[] = [];
  if (lost > 0) found.push(`${lost} messages never arrived`);
  if (peak.resident > bound.resident)
    found.push(`${peak.resident.toFixed(0)} MB resident, more than ${bound.resident}`);
  if (peak.heap > bound.heap) found.push(`${peak.heap.toFixed(0)} MB of heap, more than ${bound.heap}`);
  return found.map((text) => `${scenario}: ${text}`);
}

/** Renders one table of all results; sizes are in MB. */
export function renderTable(results: readonly ScenarioResult[]): string {
  const head = ["scenario", "offered", "passed", "lost", "peak resident", "bound", "peak heap", "bound"];
  const rows = results.map(({ scenario, offered, passed, lost, peak }) => [
    scenario,
    offered.toFixed(0),
    passed.toFixed(0),
    lost,
    peak.resident.toFixed(0),
    bound.resident,
    peak.heap.toFixed(0),
    bound.heap,
  ]);
  return renderRows([head, ...rows]);
}
