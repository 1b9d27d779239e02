// Runs `sluice test-connections`: prints the result of each component on standard output, for people or as JSON, and
// diagnostics on standard error. Texts of documents are made safe for terminals.

import { createColors } from "picocolors";
import { planDocuments } from "../../compile.ts";
import { toSafeText } from "../../diagnostics/render/columns.ts";
import {
  type Finding,
  type TestedComponent,
  testConnections,
} from "../../embed/connections/test-connections.ts";
import type { TestConnectionsOptions } from "../command-options.ts";
import { formatDiagnostics, isFailure, withLineBreak } from "../diagnostics.ts";
import { useColor, withProgress } from "../terminal.ts";

/** Connects to everything that a gateway of these documents would connect to. Returns the exit code. */
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

/**
 * Suppresses warnings: kafkajs sets timers with negative delays, about which Node warns. Bundled gateways have a
 * corrected version.
 */
function silenceNode(): void {
  process.removeAllListeners("warning");
}

/** Returns the outcome of a component: the worst of its checks; untested only if all of them are. */
function outcomeOf({ findings }: TestedComponent): Finding["outcome"] {
  if (findings.some(({ outcome }) => outcome === "failed")) return "failed";
  return findings.some(({ outcome }) => outcome === "passed") ? "passed" : "untested";
}

/** Returns the results as one JSON object with a final line break. */
function renderConnectionsJson(components: readonly TestedComponent[]): string {
  const passed = components.every((component) => outcomeOf(component) !== "failed");
  const described = components.map((component) => {
    const { role, name, label, location, path, streams, findings } = component;
    const { line, column } = location.start;
    const place = { file: location.file.path, line, column, path };
    return {
      component: name,
      role,
      label,
      ...place,
      streams,
      outcome: outcomeOf(component),
      checks: findings,
    };
  });
  return `${JSON.stringify({ passed, components: described }, undefined, 2)}\n`;
}

/** Returns the components with their checks, and the number of failures. */
function renderConnections(components: readonly TestedComponent[], color: boolean): string {
  if (components.length === 0) return "nothing to connect to\n";
  const colors = createColors(color);
  const signs = { passed: colors.green("✓"), failed: colors.red("✗"), untested: colors.dim("-") };
  const blocks = components.map((component) => {
    const lines = component.findings.flatMap((finding) => {
      const { check, outcome, reason, advice } = finding;
      const said = { passed: "", failed: `: ${reason}`, untested: `: not tested, ${reason}` }[outcome];
      const line = `  ${signs[outcome]} ${toSafeText(`${check}${said}`)}`;
      return advice === undefined ? [line] : [line, `    = hint: ${toSafeText(advice)}.`];
    });
    return [titleOf(component, colors.bold), ...lines].join("\n");
  });
  return `${blocks.join("\n\n")}\n\n${countsOf(components)}\n`;
}

function titleOf(
  { role, name, label, location, path }: TestedComponent,
  bold: (text: string) => string,
): string {
  const { line, column } = location.start;
  const named = label === undefined ? "" : ` "${label}"`;
  const place = toSafeText(`${location.file.path}:${line}:${column}`);
  const what = role === "upstream" ? role : `${name} ${role.replace("_", " ")}`;
  return `${place}  ${bold(toSafeText(`${what}${named}`))}  ${toSafeText(path)}`;
}

function countsOf(components: readonly TestedComponent[]): string {
  const count = (outcome: Finding["outcome"]) =>
    components.filter((component) => outcomeOf(component) === outcome).length;
  const counts = [`${count("passed")} passed`, `${count("failed")} failed`];
  if (count("untested") > 0) counts.push(`${count("untested")} not tested`);
  return counts.join(", ");
}
