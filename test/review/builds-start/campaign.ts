// Every set that builds also starts: compiles random sets of documents, and starts those without errors in this
// process.

import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { planDocuments } from "../../../compiler/compile.ts";
import { emitGateway } from "../../../compiler/emit/gateway.ts";
import { optimisePlan } from "../../../compiler/optimise/index.ts";
import { createMemoryFileSystem } from "../../../compiler/parse/document/file-system.ts";
import { serveGateway } from "../../../runtime/gateway/serve.ts";
import type { GatewayDefinition } from "../../../runtime/gateway.ts";
import { createLogger } from "../../../runtime/process/log.ts";
import { projectRoot, temporaryDirectory } from "../../harness/directories.ts";
import type { Campaign, RoundResult } from "../campaign.ts";
import { randomSet, type SetFiles } from "./random-sets.ts";

/** The environment variables that the documents read. */
const environment = {
  GW_LISTEN: "127.0.0.1:0",
  GW_ADMIN_LISTEN: "127.0.0.1:0",
  GW_SHUTDOWN_TIMEOUT: "1s",
  HOST: "h.test",
  UPSTREAM: "http://127.0.0.1:9",
};

/** Returns why a set that builds does not start; `undefined` if it starts, `"refused"` if it does not build. */
async function startProblem(files: SetFiles, folder: string): Promise<string | undefined> {
  const { plan } = await planDocuments(["gateway.yaml"], { fileSystem: createMemoryFileSystem(files) });
  if (plan === undefined) return "refused";
  const emitted = await emitGateway(optimisePlan(plan));
  const path = join(folder, "gateway.ts");
  await writeFile(
    path,
    emitted.gateway.replaceAll('from "sluice/runtime/', `from "${pathToFileURL(projectRoot).href}/runtime/`),
  );
  if (emitted.validators !== undefined) await writeFile(join(folder, "validators.ts"), emitted.validators);
  const log = createLogger("error", { write: () => {} });
  try {
    const { default: definition }: { default: GatewayDefinition } = await import(pathToFileURL(path).href);
    const gateway = await serveGateway(definition, { environment, log });
    await gateway.close();
    return undefined;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

async function round(seed: number, numRuns: number, root: string): Promise<RoundResult> {
  const findings: string[] = [];
  let attempts = 0;
  for (const [at, files] of fc.sample(randomSet, { seed, numRuns }).entries()) {
    const folder = join(root, `${seed}-${at}`);
    await mkdir(folder, { recursive: true });
    const problem = await startProblem(files, folder);
    if (problem !== "refused") attempts += 1;
    if (problem !== undefined && problem !== "refused")
      findings.push(
        `${problem}\n${Object.entries(files)
          .map(([name, text]) => `${name}: ${text}`)
          .join("\n")}`,
      );
  }
  return { attempts, findings };
}

/** Returns the campaign. A round draws `numRuns` sets and counts those that build. */
export function buildsStart(numRuns = 120): Campaign {
  return {
    claim: "A set of documents that builds without errors starts.",
    prepare: async () => {
      const root = temporaryDirectory("builds-start");
      return {
        round: (seed) => round(seed, numRuns, root),
        close: () => rm(root, { recursive: true, force: true }),
      };
    },
  };
}
