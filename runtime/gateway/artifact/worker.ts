// One of several workers of a gateway that follows deployments. It serves what lies in the folder of the primary, which has
// verified it, whenever the primary says so.

import type { Logger } from "../../process/log.ts";
import { createLogger } from "../../process/log.ts";
import type { WorkerPlace } from "../../process/worker-place.ts";
import type { TailRequest } from "../tail/sample.ts";
import { answerPrimary, tellListening, tellPrimary } from "../workers/answer-primary.ts";
import type { PrimaryMessage } from "../workers/messages.ts";
import { folderSource } from "./artifact-folder.ts";
import { Deployer } from "./deployer.ts";
import type { RuntimeModules } from "./load-unit.ts";
import { type SingleProcess, startProcess } from "./serve-source.ts";

export interface WorkerOptions {
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
export async function serveAsWorker(place: WorkerPlace, options: WorkerOptions): Promise<void> {
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
