// Runs `sluice doctor`: finds what would prevent a gateway from running here, with a remedy for each finding.

import { existsSync } from "node:fs";
import { createColors } from "picocolors";
import { type PlanResult, planDocuments } from "../../compile.ts";
import { toSafeText } from "../../diagnostics/render/columns.ts";
import { wantedAddresses } from "../../embed/connections/listen-addresses.ts";
import {
  clientCertificates,
  type ExaminedCertificate,
  examineCertificate,
} from "../../embed/connections/listener-certificate.ts";
import { testConnections, variableProblems } from "../../embed/connections/test-connections.ts";
import { checksPasswords, emitManifest } from "../../emit/manifest.ts";
import type { Plan } from "../../plan/plan.ts";
import { type DoctorFinding, examineMachine } from "../doctor/machine.ts";
import { useColor } from "../terminal.ts";

/** Options of `sluice doctor`. */
export interface DoctorOptions {
  readonly json?: boolean;
  /** Timeout of a broker's response in milliseconds. */
  readonly timeout: number;
}

/** Examines this machine and the requirements of documents. Returns the exit code: 1 if any finding is an error. */
export async function runDoctor(paths: readonly string[], { json, timeout }: DoctorOptions): Promise<number> {
  // kafkajs sets timers with negative delays, about which Node warns.
  process.removeAllListeners("warning");
  const planned = paths.length === 0 ? undefined : await planDocuments(paths);
  const plan = planned?.plan;
  // The listen addresses of documents with errors are unknown.
  const addresses = planned !== undefined && plan === undefined ? [] : wantedAddresses(plan, process.env);
  const findings = [
    ...(await examineMachine(addresses, plan === undefined || checksPasswords(plan))),
    ...(planned === undefined ? [] : await examineDocuments(paths, planned, timeout)),
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
  { counts, plan }: Pick<PlanResult, "counts" | "plan">,
  timeout: number,
): Promise<readonly DoctorFinding[]> {
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
  const variables = examineVariables(plan);
  const documents: DoctorFinding = { check: "documents", outcome: "fine", found: paths.join(" ") };
  // Connections cannot be tested while addresses or credentials are missing.
  if (variables.some(({ outcome }) => outcome === "error")) return [documents, ...variables];
  const connections = await examineConnections(plan, timeout);
  const listener = examineCertificate(plan, process.env);
  const certificates = [
    ...(listener === undefined ? [] : [listener]),
    ...clientCertificates(plan, process.env),
  ];
  return [documents, ...variables, ...certificates.map(certificateFinding), ...connections];
}

/** Examines the variables and secrets that a build lists in its manifest. */
function examineVariables(plan: Plan): readonly DoctorFinding[] {
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
    if (process.env[name] === undefined || (process.env[name] === "" && !required)) {
      return required
        ? { check, outcome: "error", found: `not set${place}`, remedy: `export ${name}=…` }
        : { check, outcome: "fine", found: "not set, its default holds" };
    }
    // A value composed of several variables is reported with the names of all of them.
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
