// A gateway that follows deployments, as a process: signals, exit codes, and the last words of one that cannot start. One of
// several workers serves what lies in the folder of the primary, which has verified it, whenever the primary says so.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createEnvironment } from "../../process/environment.ts";
import { createLogger, type Logger, type LogLevel } from "../../process/log.ts";
import { readMachineText } from "../../process/machine-files.ts";
import { onStopSignal } from "../../process/shutdown.ts";
import { startProblems } from "../../process/start-problems.ts";
import { readWorkerPlace, type WorkerPlace } from "../../process/worker-place.ts";
import { readLogLevel } from "../settings.ts";
import type { TailRequest } from "../tail/sample.ts";
import { answerPrimary, tellListening, tellPrimary } from "../workers/answer-primary.ts";
import type { PrimaryMessage } from "../workers/messages.ts";
import { WorkerFailure } from "../workers/primary.ts";
import { folderSource } from "./artifact-folder.ts";
import { startWorkers } from "./deployed-workers.ts";
import { Deployer, ProcessError } from "./deployer.ts";
import type { RuntimeModules } from "./load-unit.ts";
import { type SingleProcess, serveSource, startProcess } from "./serve-source.ts";
import { readFollowSettings } from "./settings.ts";
import type { ArtifactSource } from "./source.ts";

interface WorkerOptions {
  readonly runtime: RuntimeModules;
  readonly log: Logger;
  /** Where to listen when neither `GW_LISTEN` nor the definition says. */
  readonly defaultListen: string;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Milliseconds between two reports of what was seen of streams that are looked at. */
const tailInterval = 1_000;

/**
 * Serves as the worker at `place` until `signal` or the primary ends it, or the primary is gone; resolves when what was in flight is
 * done. Rejects where this process cannot serve what is deployed.
 */
async function serveAsWorker(place: WorkerPlace, options: WorkerOptions): Promise<void> {
  const { runtime, log, defaultListen, signal } = options;
  const ended = Promise.withResolvers<void>();
  let running: SingleProcess | undefined;
  // The primary reports the outcomes.
  const deployer = new Deployer({
    ...{ runtime, key: undefined, cacheFolder: undefined, log: createLogger("silent") },
    async start(definition, set) {
      running = await startProcess(definition, set, { log, defaultListen, worker: place });
      return running;
    },
  });

  async function deploy(id: number, folder: string): Promise<void> {
    const source = folderSource(folder);
    const found = await source.next(undefined, 0, signal);
    if (found === undefined) return;
    const isFirst = running === undefined;
    await deployer.take(found, source, signal);
    if (running !== undefined && isFirst) answerPrimary(running.gateway, ended.resolve);
    else if (running !== undefined) tellListening(running.gateway);
    tellPrimary({ kind: "deployed", id, outcomes: deployer.report().outcomes });
  }

  let last = Promise.resolve();
  const showing = new Showing(() => running);
  process.on("message", (message: PrimaryMessage) => {
    if (message.kind === "deploy") {
      last = last.then(() => deploy(message.id, message.folder));
      last.catch(ended.reject);
    } else if (message.kind === "tail") showing.want(message.request);
    else if (message.kind === "stop") ended.resolve();
  });
  process.once("disconnect", ended.resolve);
  signal.addEventListener("abort", () => ended.resolve(), { once: true });
  tellPrimary({ kind: "waiting" });
  try {
    await ended.promise;
  } finally {
    showing.want(undefined);
    // A deployment that is being brought in may still start what has to be closed. Where it fails, nothing is left to serve.
    await Promise.allSettled([last]);
    await running?.close();
  }
}

/** Sends what is seen of streams to the primary, as long as some are to be looked at. */
class Showing {
  readonly #running: () => SingleProcess | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(running: () => SingleProcess | undefined) {
    this.#running = running;
  }

  want(request: TailRequest | undefined): void {
    clearInterval(this.#timer);
    this.#running()?.tailing.want(request);
    if (request === undefined) return;
    this.#timer = setInterval(() => {
      const tailing = this.#running()?.tailing;
      const streams = tailing?.drain() ?? [];
      if (streams.length > 0) tellPrimary({ kind: "seen", streams });
    }, tailInterval).unref();
  }
}

/** The runtime that lies as JavaScript in `folder`, module by module under the names of its sources. */
export function runtimeIn(folder: string, digest: string): RuntimeModules {
  return {
    digest,
    load(module) {
      const file = module.replace(/^runtime\//, "").replace(/\.ts$/, ".js");
      return import(pathToFileURL(join(folder, file)).href);
    },
  };
}

/**
 * Serves what is deployed at `from`, the address of a management service or a folder, until a signal ends it; then drains
 * and exits 0. A second signal exits at once. Exits 1 when the process cannot start, after one log line that says why.
 */
export async function runFollowing(from: string, runtime: RuntimeModules): Promise<void> {
  const stopping = new AbortController();
  onStopSignal(() => stopping.abort());
  const defaultListen = "0.0.0.0:8080";
  const place = readWorkerPlace();
  try {
    const environment = createEnvironment(process.env, readMachineText);
    if (place !== undefined) {
      const log = createLogger(readLogLevel(environment));
      await serveAsWorker(place, { runtime, log, defaultListen, signal: stopping.signal });
      process.exit(0);
    }
    const { settings, level } = environment.collect(() => ({
      settings: readFollowSettings(from, environment),
      level: readLogLevel(environment),
    }));
    const log = createLogger(level);
    const { source, verifyKey, cacheFolder, notes } = settings;
    for (const note of notes) log.warn(note);
    await serveSource(source, {
      ...{ runtime, key: verifyKey, cacheFolder, log, defaultListen },
      // What is not a number above 1 is judged with everything else that a gateway reads.
      start: Number(process.env.GW_WORKERS) > 1 ? startWorkers : startProcess,
      signal: stopping.signal,
    });
    process.exit(0);
  } catch (error) {
    const cause = error instanceof ProcessError ? error.cause : error;
    // A worker that could not start has said why itself.
    if (cause instanceof WorkerFailure) process.exit(1);
    const problems = startProblems(cause);
    // The level in the environment may be what is wrong, and this line is wanted at every level.
    createLogger("error").error("cannot start", problems === undefined ? { error: cause } : { problems });
    process.exit(1);
  }
}

/**
 * The same within a process that does other things, too: until `signal` ends it. What it is given cannot be changed, so
 * that no signature is asked for. Rejects with the reason where the gateway cannot start.
 */
export async function followWithin(
  source: ArtifactSource,
  runtime: RuntimeModules,
  { signal, level }: { readonly signal: AbortSignal; readonly level: LogLevel },
): Promise<void> {
  const log = createLogger(level);
  try {
    await serveSource(source, {
      ...{ runtime, key: undefined, cacheFolder: undefined, log, signal },
      defaultListen: "127.0.0.1:8080",
      start: startProcess,
    });
  } catch (error) {
    throw error instanceof ProcessError ? error.cause : error;
  }
}
