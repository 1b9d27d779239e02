// Runs `sluice doctor`: finds what would prevent a gateway from running here, with a remedy for each finding.

import { existsSync } from "node:fs";
import { createColors } from "picocolors";
import { type CompileResult, compileDocuments } from "../../compile.ts";
import { toSafeText } from "../../diagnostics/render/columns.ts";
import { suggest } from "../../diagnostics/suggest.ts";
import { wantedAddresses } from "../../embed/connections/listen-addresses.ts";
import {
  clientCertificates,
  type ExaminedCertificate,
  examineCertificate,
} from "../../embed/connections/listener-certificate.ts";
import { testConnections } from "../../embed/connections/test-connections.ts";
import { type ExaminedEnvironment, examineEnvironment, loadGateway } from "../../embed/load-gateway.ts";
import { checksPasswords, emitManifest } from "../../emit/manifest.ts";
import type { Plan } from "../../plan/plan.ts";
import { runsGateways } from "../../ship/container-context.ts";
import { type DoctorFinding, examineMachine } from "../doctor/machine.ts";
import { packageRoot } from "../package-root.ts";
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
  const compiled =
    paths.length === 0 ? undefined : await compileDocuments(paths, { packageRoot: packageRoot() });
  const plan = compiled?.plan;
  // The listen addresses of documents with errors are unknown.
  const addresses = compiled !== undefined && plan === undefined ? [] : wantedAddresses(plan, process.env);
  const findings = [
    ...(await examineMachine(addresses, plan === undefined || checksPasswords(plan))),
    ...(compiled === undefined
      ? examineVariables(examineEnvironment(anyGateway, process.env), undefined)
      : await examineDocuments(paths, compiled, timeout)),
  ];
  process.stdout.write(
    json === true
      ? `${JSON.stringify(findings, undefined, 2)}\n`
      : render(findings, useColor(process.stdout)),
  );
  return findings.some(({ outcome }) => outcome === "error") ? 1 : 0;
}

/** A gateway that reads only the variables that every gateway reads. */
const anyGateway = { streaming: { enabled: true }, apis: [] };

async function examineDocuments(
  paths: readonly string[],
  { counts, plan, files }: CompileResult,
  timeout: number,
): Promise<readonly DoctorFinding[]> {
  if (plan === undefined || files === undefined) {
    const remedy = `sluice check ${paths.join(" ")}`;
    const found = counts.error === 1 ? "1 error" : `${counts.error} errors`;
    return [{ check: "documents", outcome: "error", found, remedy }];
  }
  // A gateway ends a process with a Node that it does not run on.
  const isTooOld = !runsGateways(process.versions.node);
  const definition = isTooOld ? anyGateway : (await loadGateway(files)).default;
  const variables = examineVariables(examineEnvironment(definition, process.env), plan);
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

/**
 * Examines the variables and secrets that a build lists in its manifest, and the variables of this process that every
 * gateway reads. `plan`: absent if there are no documents.
 */
function examineVariables(
  { problems, names }: ExaminedEnvironment,
  plan: Plan | undefined,
): readonly DoctorFinding[] {
  const { environment = [], secretFiles = [] } = plan === undefined ? {} : emitManifest(plan);
  const files = secretFiles.map((path): DoctorFinding => {
    const check = `secret ${path}`;
    if (existsSync(path)) return { check, outcome: "fine", found: "there" };
    return { check, outcome: "error", found: "not there", remedy: "mount it, or write it there" };
  });
  const listed = new Set(environment.map(({ name }) => name));
  const own = [...names].filter((name) => !listed.has(name) && process.env[name]);
  const variables = [...environment, ...own.map((name) => ({ name, required: false, usedAt: [] }))].map(
    ({ name, required, usedAt = [] }): DoctorFinding => {
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
    },
  );
  const expected = [...variables, ...files];
  const others = problems
    .filter((problem) => !expected.some(({ check, found }) => found === problem || isAbout(problem, check)))
    .map((found): DoctorFinding => ({ check: "environment", outcome: "error", found, remedy: "correct it" }));
  return [...expected, ...others, ...misspelled([...listed, ...names])];
}

/** Whether a problem is about the variable or the secret of a check, such as `variable COUNT`. */
function isAbout(problem: string, check: string): boolean {
  return problem.startsWith(`${check.slice(check.indexOf(" ") + 1)} `);
}

/** Finds variables of gateways that no gateway reads under this name, but under a similar one. */
function misspelled(names: readonly string[]): readonly DoctorFinding[] {
  return Object.keys(process.env)
    .filter((name) => name.startsWith("GW_") && !names.includes(name))
    .flatMap((name): readonly DoctorFinding[] => {
      const meant = suggest(name, names);
      if (meant === undefined) return [];
      return [
        {
          check: `variable ${name}`,
          outcome: "warning",
          found: "set, but not read",
          remedy: `did you mean ${meant}?`,
        },
      ];
    });
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
