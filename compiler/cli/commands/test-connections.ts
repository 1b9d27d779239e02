// `sluice test-connections`: what came of each component on standard output, diagnostics on standard error.

import { planDocuments } from "../../compile.ts";
import { testConnections } from "../../embed/connections/test-connections.ts";
import type { TestConnectionsOptions } from "../command-options.ts";
import { outcomeOf, renderConnections, renderConnectionsJson } from "../connections/render.ts";
import { formatDiagnostics, isFailure, withLineBreak } from "../diagnostics.ts";
import { useColor, withProgress } from "../terminal.ts";

/** Connects to everything that a gateway of these documents would connect to. Gives the exit code. */
export async function runTestConnections(
  paths: readonly string[],
  { json, timeout }: TestConnectionsOptions,
): Promise<number> {
  const { diagnostics, suppressed, counts, plan } = await planDocuments(paths);
  const text = await formatDiagnostics(diagnostics, "pretty", useColor(process.stderr), suppressed);
  process.stderr.write(withLineBreak(text));
  if (plan === undefined || isFailure(counts, {})) return 1;
  silenceNode();
  const tested = await withProgress(`connecting to what ${paths.join(" ")} names`, () =>
    testConnections(plan, { variables: process.env, timeout }),
  );
  process.stdout.write(
    json === true ? renderConnectionsJson(tested) : renderConnections(tested, useColor(process.stdout)),
  );
  return tested.some((component) => outcomeOf(component) === "failed") ? 1 : 0;
}

/** kafkajs arms timers with negative pauses, of which Node warns; gateways are linked with that put right. */
function silenceNode(): void {
  process.removeAllListeners("warning");
}
