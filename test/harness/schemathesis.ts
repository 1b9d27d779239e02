// Runs Schemathesis, which sends random requests to a service based on its OpenAPI description; installed from PyPI.

import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { temporaryDirectory } from "./directories.ts";
import { installFromPypi } from "./registry-packages.ts";

const version = "4.32.5";
const runProgram = promisify(execFile);

/** The service to test, and the extent of the run. */
export interface SchemathesisRun {
  readonly description: object;
  /** The base URL of its operations, without a trailing slash. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly seed: number;
  /** The number of requests for each operation and phase. */
  readonly examples: number;
  /** The time limit in seconds. */
  readonly time: number;
  /** Expected findings as `METHOD /path: check`. */
  readonly expected?: readonly string[];
}

/** The result of a run. */
export interface SchemathesisResult {
  readonly requests: number;
  readonly findings: readonly string[];
}

/** Returns the folder of its modules; rejects if it cannot be installed. */
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

/** Runs it against a running service; the same seed sends the same requests. */
export async function runSchemathesis(modules: string, run: SchemathesisRun): Promise<SchemathesisResult> {
  const folder = temporaryDirectory("schemathesis");
  await writeFile(join(folder, "openapi.json"), JSON.stringify(run.description));
  const headers = Object.entries(run.headers).flatMap(([name, value]) => ["-H", `${name}:${value}`]);
  const options = ["--url", run.url, ...headers, "--seed", String(run.seed)];
  const limits = ["--max-examples", String(run.examples), "--max-time", String(run.time)];
  const fixed = ["--no-color", "--continue-on-failure", "--warnings", "off", "--generation-database", "none"];
  // This check measures how long the generation of values takes, which depends on the load of the machine.
  const timed = ["--suppress-health-check", "too_slow"];
  const args = ["-m", "schemathesis.cli", "run", "openapi.json", ...options, ...limits, ...fixed, ...timed];
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

/** Returns findings as `GET /apis/{id}: Undocumented status code`, each with the request that shows it. */
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
