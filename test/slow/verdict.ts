import { renderRows } from "../crash/verdict.ts";
import type { ScenarioResult } from "./scenario.ts";

/**
 * The most that a gateway may use, in MB: what Node and the code need (about 110 resident, 30 of heap), the messages in
 * flight and those held ahead, twice over for garbage that is not yet collected.
 */
export const bound = { resident: 384, heap: 192 };

/** What is wrong with a result; empty when memory stayed below the bound and traffic went on afterwards. */
export function complaints({ scenario, peak, lost }: ScenarioResult): string[] {
  const found: string[] = [];
  if (lost > 0) found.push(`${lost} messages never arrived`);
  if (peak.resident > bound.resident)
    found.push(`${peak.resident.toFixed(0)} MB resident, more than ${bound.resident}`);
  if (peak.heap > bound.heap) found.push(`${peak.heap.toFixed(0)} MB of heap, more than ${bound.heap}`);
  return found.map((text) => `${scenario}: ${text}`);
}

/** One table of all results; sizes are MB. */
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
