// The process of a gateway that follows deployments: signals, exit codes, and the error if it cannot start. Each of
// several workers loads what the primary has verified from the primary's folder, whenever the primary says so.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { abort } from "../../concurrency/abort.ts";
import { tuneCollections } from "../../process/collections.ts";
import { createEnvironment } from "../../process/environment.ts";
import { beforeFirstWork } from "../../process/first-work.ts";
import { createLogger, type Logger, type LogLevel } from "../../process/log.ts";
import { readMachineText } from "../../process/machine-files.ts";
import { onStopSignal } from "../../process/shutdown.ts";
import { startProblems } from "../../process/start-problems.ts";
import { readWorkerCount, readWorkerPlace, type WorkerPlace } from "../../process/worker-place.ts";
import { readLogLevel } from "../settings.ts";
import type { TailRequest } from "../tail/sample.ts";
import { answerPrimary, reportListening, sendToPrimary } from "../workers/answer-primary.ts";
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
  /** Where to listen if neither `GW_LISTEN` nor the definition says so. */
  readonly defaultListen: string;
  /** Ends the worker when aborted. */
  readonly signal: AbortSignal;
}

/** Milliseconds between two reports of sampled messages. */
const tailInterval = 1_000;

/**
 * Serves as the worker at `place` until `signal` or the primary ends it, or the primary is gone. Resolves when
 * everything in flight is done. Rejects if this process cannot serve the deployment.
 */
async function serveAsWorker(place: WorkerPlace, options: WorkerOptions): Promise<void> {
  const { runtime, log, defaultListen, signal } = options;
  const ended = Promise.withResolvers<void>();
  let running: SingleProcess | undefined;
  // The primary reports the outcomes, so this deployer logs nothing.
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
    else if (running !== undefined) reportListening(running.gateway);
    sendToPrimary({ kind: "deployed", id, outcomes: deployer.report().outcomes });
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
  sendToPrimary({ kind: "waiting" });
  try {
    await ended.promise;
  } finally {
    showing.want(undefined);
    // A deployment in progress may still start something that must be closed. If it fails, there is nothing to close.
    await Promise.allSettled([last]);
    await running?.close();
  }
}

/** Sends sampled messages to the primary while it samples streams. */
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
      if (streams.length > 0) sendToPrimary({ kind: "seen", streams });
    }, tailInterval).unref();
  }
}

/** Returns the runtime that `folder` contains as JavaScript, one file for each source file, under the same names. */
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
 * Serves the deployments at `from`, the address of a management service or a folder, until a signal ends it; then
 * drains and exits 0. A second signal exits immediately. Exits 1 if the process cannot start, after one log line that
 * says why.
 */
export async function runFollowing(from: string, runtime: RuntimeModules): Promise<void> {
  const stopping = new AbortController();
  onStopSignal(() => abort(stopping));
  beforeFirstWork(tuneCollections);
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
      start: readWorkerCount() > 1 ? startWorkers : startProcess,
      signal: stopping.signal,
    });
    process.exit(0);
  } catch (error) {
    const cause = error instanceof ProcessError ? error.cause : error;
    // A worker that could not start has logged the reason itself.
    if (cause instanceof WorkerFailure) process.exit(1);
    const problems = startProblems(cause);
    // The configured log level may be the problem, and this line is needed at every level: log it with a fixed one.
    createLogger("error").error("cannot start", problems === undefined ? { error: cause } : { problems });
    process.exit(1);
  }
}

/**
 * Serves the deployments of `source` within a process that also does other things, until `signal` ends it. Needs no
 * signature: nothing can change what the source returns. Rejects with the reason if the gateway cannot start.
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
