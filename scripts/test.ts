// The test command: `npm test` runs all suites except the long ones, `npm run test:long` the long ones, and `npm test
// -- WORDS` the suites that match all words. `npm run test:delays` delays at random what their processes observe.

import "../test/harness/patched-kafkajs.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { serveHosts } from "../test/harness/command-hosts.ts";
import { runBatch } from "./test/batch.ts";
import type { Outcome } from "./test/outcome.ts";
import { renderClosing, renderLine } from "./test/report.ts";
import { type Batch, runAll } from "./test/schedule.ts";
import { Services } from "./test/services.ts";
import { select } from "./test/suites.ts";

const requireServices = process.env.CI === "true" || process.env.SLUICE_REQUIRE_BROKERS === "1";

const outcomes: Outcome[] = [];
const services = new Services();
const interruption = new AbortController();
/**
 * The cache of compiled modules and stripped types, shared by the hundreds of processes of a run that load the same
 * sources. It is removed after the run, since files that suites write into temporary folders would accumulate in it.
 */
const compileCache = mkdtempSync(join(tmpdir(), "sluice-compile-cache-"));
const bundle = join(import.meta.dirname, "../dist/cli.js");
const hostsAddress = join(compileCache, "hosts");

/** The environment of every suite. */
const shared: Record<string, string> = {
  NODE_COMPILE_CACHE: compileCache,
  // esbuild and tsc are short-lived Go programs that spend a fifth of their time on garbage collection.
  GOGC: "400",
  // The up-to-date bundle: the launcher would compare it with the sources at every start.
  SLUICE_TEST_COMMAND: bundle,
  // Loading the compiler costs a second, and half the files of a run use it.
  SLUICE_TEST_HOSTS: hostsAddress,
};

function record(outcome: Outcome): void {
  if (interruption.signal.aborted) return;
  outcomes.push(outcome);
  console.log(renderLine(outcome));
}

/**
 * Starts the services of the batch and runs it. If they are unavailable, its suites are skipped, or failed if
 * skipping is not allowed.
 */
async function runWithServices({ suites, needs }: Batch): Promise<void> {
  const provision = await services.provide(needs).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    return { kind: "broken", reason } as const;
  });
  if (provision.kind === "ready") {
    return runBatch(suites, { ...shared, ...provision.environment }, interruption.signal, record);
  }
  const isFailure = provision.kind === "broken" || requireServices;
  const counts = isFailure ? { failed: 1, skipped: 0 } : { failed: 0, skipped: 1 };
  for (const suite of suites) {
    record({ suite, passed: 0, ...counts, output: "", remark: provision.reason, seconds: 0 });
  }
}

/**
 * Returns the options of Node that delay what a process observes. Programs such as npm may run with an older Node, which
 * cannot load the file.
 */
function delaying(root: string): string {
  const file = pathToFileURL(join(root, "test/harness/delays.ts")).href;
  const load = `if (process.features.typescript) await import(${JSON.stringify(file)})`;
  return `--import=data:text/javascript,${encodeURIComponent(load)}`;
}

async function main(): Promise<number> {
  const root = join(import.meta.dirname, "..");
  process.chdir(root);
  const { values, positionals: words } = parseArgs({
    allowPositionals: true,
    options: { long: { type: "boolean", default: false }, delays: { type: "boolean", default: false } },
  });
  if (values.delays) shared.NODE_OPTIONS = delaying(root);
  // Suites start the bundle, which is what users run.
  await import("./build-dist.ts");
  const suites = select(root, { ...values, words });
  const hosts = await serveHosts(hostsAddress, availableParallelism(), bundle, shared);
  try {
    await runAll(suites, runWithServices, interruption.signal);
  } finally {
    hosts.end();
    await services.stop();
    rmSync(compileCache, { recursive: true, force: true, maxRetries: 5 });
  }
  if (suites.length === 0) console.log(`no test file or test has ${words.join(" and ")} in its name`);
  console.log(renderClosing(outcomes));
  const succeeded = suites.length > 0 && outcomes.every(({ failed }) => failed === 0);
  return succeeded && !interruption.signal.aborted ? 0 : 1;
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => {
    console.log(`stopped by ${signal}`);
    interruption.abort();
  });
}
process.exitCode = await main();
