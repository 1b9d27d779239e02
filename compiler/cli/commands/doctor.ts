// `sluice doctor`: what would keep a gateway from running here, each with its remedy.

import { existsSync } from "node:fs";
import { createColors } from "picocolors";
import { planDocuments } from "../../compile.ts";
import { toSafeText } from "../../diagnostics/render/columns.ts";
import {
  clientCertificates,
  type ExaminedCertificate,
  examineCertificate,
} from "../../embed/connections/listener-certificate.ts";
import { testConnections, variableProblems } from "../../embed/connections/test-connections.ts";
import type { Plan } from "../../plan/plan.ts";
import { type DoctorFinding, examineMachine } from "../doctor/machine.ts";
import { useColor } from "../terminal.ts";

/** What `sluice doctor` was told. */
export interface DoctorOptions {
  readonly json?: boolean;
  /** Milliseconds that a broker has to answer. */
  readonly timeout: number;
}

/** Examines this machine, and what documents need of it. Gives the exit code: 1 where anything is an error. */
export async function runDoctor(paths: readonly string[], { json, timeout }: DoctorOptions): Promise<number> {
  const findings = [
    ...(await examineMachine(process.env)),
    ...(paths.length === 0 ? [] : await examineDocuments(paths, timeout)),
  ];
  process.stdout.write(
    json === true
      ? `${JSON.stringify(findings, undefined, 2)}\n`
      : render(findings, useColor(process.stdout)),
  );
  return findings.some(({ outcome }) => outcome === "error") ? 1 : 0;
}

async function examineDocuments(
  paths: readonly string[],
  timeout: number,
): Promise<readonly DoctorFinding[]> {
  // kafkajs arms timers with negative pauses, of which Node warns.
  process.removeAllListeners("warning");
  const { counts, plan } = await planDocuments(paths);
  if (plan === undefined) {
    const remedy = `sluice check ${paths.join(" ")}`;
    return [
      {
        check: "documents",
        outcome: "error",
        found: counts.error === 1 ? "1 error" : `${counts.error} errors`,
        remedy,
      },
    ];
  }
  const variables = await examineVariables(plan);
  const documents: DoctorFinding = { check: "documents", outcome: "fine", found: paths.join(" ") };
  // Addresses and credentials that are not there cannot be tried.
  if (variables.some(({ outcome }) => outcome === "error")) return [documents, ...variables];
  const connections = await examineConnections(plan, timeout);
  const listener = examineCertificate(plan, process.env);
  const certificates = [...(listener === undefined ? [] : [listener]), ...clientCertificates()];
  return [documents, ...variables, ...certificates.map(certificateFinding), ...connections];
}

/** What a build lists in its manifest. */
async function examineVariables(plan: Plan): Promise<readonly DoctorFinding[]> {
  const { emitManifest } = await import("../../emit/manifest.ts");
  const { environment, secretFiles } = emitManifest(plan);
  const files = secretFiles.map((path): DoctorFinding => {
    const check = `secret ${path}`;
    if (existsSync(path)) return { check, outcome: "fine", found: "there" };
    return { check, outcome: "error", found: "not there", remedy: "mount it, or write it there" };
  });
  const problems = variableProblems(plan, process.env);
  const variables = environment.map(({ name, required, usedAt = [] }): DoctorFinding => {
    const check = `variable ${name}`;
    const place = usedAt.length === 0 ? "" : ` (${usedAt.join(", ")})`;
    if (process.env[name] === undefined) {
      return required
        ? { check, outcome: "error", found: `not set${place}`, remedy: `export ${name}=…` }
        : { check, outcome: "fine", found: "not set, its default holds" };
    }
    // A value that several variables make together is named by all of them.
    const problem = problems.find((text) => text.startsWith(`${name} `) || text.includes(` and ${name} `));
    return problem === undefined
      ? { check, outcome: "fine", found: "set" }
      : { check, outcome: "error", found: problem, remedy: `correct its value` };
  });
  return [...variables, ...files];
}

function certificateFinding({ file, validUntil, problem }: ExaminedCertificate): DoctorFinding {
  const check = `certificate ${file}`;
  if (problem === undefined)
    return { check, outcome: "fine", found: `valid until ${validUntil?.toISOString()}` };
  const { text, isRefused, remedy } = problem;
  return { check, outcome: isRefused ? "error" : "warning", found: text, remedy };
}

async function examineConnections(plan: Plan, timeout: number): Promise<readonly DoctorFinding[]> {
  const tested = await testConnections(plan, { variables: process.env, timeout });
  return tested.flatMap(({ name, path, findings }) =>
    findings
      .filter(({ outcome }) => outcome !== "untested")
      .map((finding): DoctorFinding => {
        const check = `${name} ${path}`;
        if (finding.outcome === "passed") return { check, outcome: "fine", found: finding.check };
        const remedy = finding.advice ?? "start it, or correct its address and credentials in the document";
        return { check, outcome: "error", found: `${finding.check}: ${finding.reason}`, remedy };
      }),
  );
}

function render(findings: readonly DoctorFinding[], color: boolean): string {
  const colors = createColors(color);
  const signs = { fine: colors.green("✓"), warning: colors.yellow("!"), error: colors.red("✗") };
  const lines = findings.flatMap(({ check, outcome, found, remedy }) => [
    `${signs[outcome]} ${colors.bold(toSafeText(check))}: ${toSafeText(found)}`,
    ...(remedy === undefined ? [] : [`    = remedy: ${toSafeText(remedy)}`]),
  ]);
  const count = (wanted: DoctorFinding["outcome"]) =>
    findings.filter(({ outcome }) => outcome === wanted).length;
  return `${lines.join("\n")}\n\n${count("fine")} fine, ${count("warning")} to look at, ${count("error")} to put right\n`;
}
