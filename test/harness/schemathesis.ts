// Schemathesis, which asks a service at random by its OpenAPI description: from PyPI, in a folder of its own.

import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { temporaryDirectory } from "./directories.ts";
import { installFromPypi } from "./registry-packages.ts";

const version = "4.32.5";
const runProgram = promisify(execFile);

/** What is asked, and how. */
export interface SchemathesisRun {
  readonly description: object;
  /** Where its operations are, without a slash at the end. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly seed: number;
  /** Requests for each operation and phase. */
  readonly examples: number;
  /** Seconds. */
  readonly time: number;
  /** `METHOD /path: check` of findings that are meant to be. */
  readonly expected?: readonly string[];
}

/** A run that is over. */
export interface SchemathesisResult {
  readonly requests: number;
  readonly findings: readonly string[];
}

/** The folder of its modules; rejects where it cannot be had. */
export function installSchemathesis(): Promise<string> {
  return installFromPypi({ name: `schemathesis-${version}`, packages: [`schemathesis==${version}`] });
}

const checks = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_schema_conformance",
  "response_headers_conformance",
  "unsupported_method",
  "ignored_auth",
  "use_after_free",
  "ensure_resource_availability",
];

/** Runs it against a service that runs; the same seed asks the same. */
export async function runSchemathesis(modules: string, run: SchemathesisRun): Promise<SchemathesisResult> {
  const folder = temporaryDirectory("schemathesis");
  await writeFile(join(folder, "openapi.json"), JSON.stringify(run.description));
  const headers = Object.entries(run.headers).flatMap(([name, value]) => ["-H", `${name}:${value}`]);
  const options = ["--url", run.url, ...headers, "--seed", String(run.seed)];
  const limits = ["--max-examples", String(run.examples), "--max-time", String(run.time)];
  const fixed = ["--no-color", "--continue-on-failure", "--warnings", "off", "--generation-database", "none"];
  const args = ["-m", "schemathesis.cli", "run", "openapi.json", ...options, ...limits, ...fixed];
  const environment = { ...process.env, PYTHONPATH: modules, PYTHONDONTWRITEBYTECODE: "1" };
  const all = [...args, "--phases", "examples,coverage,fuzzing,stateful", "--checks", checks.join(",")];
  const { output, isFailed } = await runProgram("python3", all, {
    cwd: folder,
    env: environment,
    maxBuffer: 64 * 1024 * 1024,
  }).then(
    ({ stdout }) => ({ output: stdout, isFailed: false }),
    (error: { stdout?: string; code?: number }) => {
      if (error.code !== 1) throw error;
      return { output: error.stdout ?? "", isFailed: true };
    },
  );
  const requests = Number(/(\d+) generated/.exec(output)?.[1] ?? 0);
  const findings = findingsIn(output).filter(
    (each) => !run.expected?.some((known) => each.startsWith(known)),
  );
  if (isFailed && findingsIn(output).length === 0) throw new Error(`schemathesis failed:\n${output}`);
  return { requests, findings };
}

/** `GET /apis/{id}: Undocumented status code` with the request that shows it. */
function findingsIn(output: string): readonly string[] {
  const [, failures = ""] = output.split(/^=+ FAILURES =+$/m);
  const parts = failures.split(/^_{3,} (.+?) _{3,}$/m).slice(1);
  const findings: string[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [operation = "", text = ""] = [parts[index], parts[index + 1]];
    const shown = /^ +(curl .*)$/m.exec(text)?.[1] ?? "";
    for (const [, check = ""] of text.matchAll(/^- ST\d+ (.+)$/gm))
      findings.push(`${operation}: ${check}\n  ${shown}`);
  }
  return findings;
}
