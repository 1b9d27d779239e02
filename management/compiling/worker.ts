// The compiling thread. It runs one job after another, separate from the thread that handles requests.

import { parentPort, workerData } from "node:worker_threads";
import {
  compileDefinition,
  compileProcessOf,
  describeDefinition,
  drawDefinition,
  type PresentDocuments,
  readDefinition,
} from "../../compiler/compile-definition.ts";
import { hostOwner } from "../../runtime/gateway/artifact/assigned-hosts.ts";
import type { Drawing } from "../drawing/drawing.ts";
import { layOut } from "../drawing/lay-out.ts";
import {
  type Compiled,
  type Job,
  type JobResult,
  type NumberedJob,
  type PresentText,
  ready,
  type WorkerSettings,
} from "./messages.ts";

// The settings with which the thread is started.
const { settings, maximumBytes } = workerData as WorkerSettings;

/** The options for reading any definition. */
const whole = { maximumBytes, ...(settings && { settings }) };

/** Parsed definitions by API id. */
const known = new Map<string, { readonly digest: string; readonly documents: PresentDocuments }>();

/** The result of a job without any findings. */
const nothing: Compiled = { missing: [], diagnostics: [], isRefused: false };

async function work(job: Job): Promise<Compiled> {
  if (job.kind === "process") return { ...nothing, ...(await compileProcessOf(whole)) };
  if (job.kind === "drawing") return { ...nothing, drawings: await draw(job) };
  const { tenant, present, elsewhere, assigned } = job;
  forget(new Set([...present, ...elsewhere].map(({ id }) => id)));
  const [own, others] = [await read(present), await read(elsewhere)];
  const missing = [...own.missing, ...others.missing];
  if (missing.length > 0) return { ...nothing, missing };
  const ownerOf = hostOwner(assigned.hosts);
  const isHostTaken = (host: string) => {
    const owner = ownerOf?.(host);
    return owner !== undefined && owner !== tenant.organisation;
  };
  const taken = { apis: others.documents, paths: assigned.paths, isHostTaken };
  const options = { ...whole, present: own.documents, tenant, taken };
  const definition = { path: `${job.id}.${job.format}`, text: job.text };
  if (job.kind === "definition") return { missing, ...(await compileDefinition(definition, options)) };
  const description = await describeDefinition(definition, options, job.servers);
  return { ...nothing, ...(description && { description }) };
}

async function draw({ format, text }: Job & { readonly kind: "drawing" }): Promise<readonly Drawing[]> {
  const drawn = await drawDefinition({ path: `definition.${format}`, text }, whole);
  return drawn.map(({ stream, topology }) => layOut(stream, topology));
}

/** Returns the parsed definitions. Parses each text only once. */
async function read(present: readonly PresentText[]) {
  const missing: string[] = [];
  const documents: PresentDocuments[number][] = [];
  for (const { id, path, digest, text } of present) {
    if (text !== undefined) known.set(id, { digest, documents: await readDefinition({ path, text }, whole) });
    const found = known.get(id);
    if (found?.digest === digest) documents.push(...found.documents);
    else missing.push(id);
  }
  return { documents, missing };
}

/**
 * Drops unused definitions, but only when there are many: the API being compiled is absent now and present next time.
 */
function forget(present: ReadonlySet<string>): void {
  if (known.size < 2 * present.size + 64) return;
  for (const id of known.keys()) if (!present.has(id)) known.delete(id);
}

async function answer({ number, job }: NumberedJob): Promise<JobResult> {
  try {
    return { number, compiled: await work(job) };
  } catch (error) {
    return { number, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

let last = Promise.resolve();
parentPort?.on("message", (numbered: NumberedJob) => {
  last = last.then(async () => parentPort?.postMessage(await answer(numbered)));
});
parentPort?.postMessage(ready);
