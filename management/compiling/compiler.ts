// The compiler in a thread of its own, so that requests are answered while it works, and a definition that takes too long or
// breaks it ends that thread and nothing else.

import { Worker } from "node:worker_threads";
import { FairQueue } from "../../runtime/concurrency/semaphore.ts";
import { GatewayError } from "../../runtime/errors.ts";
import type { Logger } from "../../runtime/process/log.ts";
import { refusal } from "../../runtime/rest/answers.ts";
import type { Answered, Asked, Compiled, Job, WorkerSettings } from "./messages.ts";

export interface CompilerOptions extends WorkerSettings {
  /** Of the thread. */
  readonly program: URL;
  /** Milliseconds that a job may take. */
  readonly timeout: number;
  readonly log: Logger;
}

interface Waiting {
  readonly job: Job;
  readonly resolve: (compiled: Compiled) => void;
  readonly reject: (error: GatewayError) => void;
}

/** Jobs that wait at most; each may hold a whole definition. */
const mostWaiting = 64;
/** Megabytes of the thread's heap, after which it is ended. */
const mostMemory = 2048;

/** Compiles in a thread that begins with the first job. */
export class Compiler {
  readonly #options: CompilerOptions;
  readonly #waiting = new FairQueue<Waiting>(mostWaiting);
  #worker: Worker | undefined;
  #current: (Waiting & { readonly number: number; readonly late: NodeJS.Timeout | undefined }) | undefined;
  #number = 0;
  #isClosed = false;

  constructor(options: CompilerOptions) {
    this.#options = options;
  }

  /**
   * The result of a job, which runs in the turn of its organisation, after those that this one has sent before; those of the service
   * itself have none. Rejects with a `GatewayError`: 503 where too many wait or the service stops, 400 where it takes too
   * long, 500 where the compiler breaks.
   */
  compile(job: Job, organisation = ""): Promise<Compiled> {
    if (this.#isClosed) return Promise.reject(busy());
    return new Promise((resolve, reject) => {
      this.#waiting.add(organisation, { job, resolve, reject })?.reject(busy());
      this.#next();
    });
  }

  /** Ends the thread; jobs that are not done are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#finish()?.reject(busy());
    for (let next = this.#waiting.next(); next !== undefined; next = this.#waiting.next())
      next.reject(busy());
    await this.#worker?.terminate();
  }

  #next(): void {
    if (this.#current !== undefined || this.#isClosed) return;
    const waiting = this.#waiting.next();
    if (waiting === undefined) return;
    this.#number += 1;
    const number = this.#number;
    // What concerns the process was not sent: it is the operator's, or from definitions that were checked.
    const late =
      waiting.job.kind === "process"
        ? undefined
        : setTimeout(() => this.#abandon(tooLong()), this.#options.timeout);
    this.#current = { ...waiting, number, late };
    this.#worker ??= this.#start();
    const asked: Asked = { number, job: waiting.job };
    this.#worker.postMessage(asked);
  }

  #start(): Worker {
    const { program, settings, maximumBytes, log } = this.#options;
    const workerData: WorkerSettings = { maximumBytes, ...(settings && { settings }) };
    const worker = new Worker(program, {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: mostMemory },
    });
    // It is the listener that keeps the process alive.
    worker.unref();
    worker.on("message", (answered: Answered) => this.#answer(answered));
    worker.on("error", (error) => {
      log.error("the compiling thread broke", { error });
      if (this.#worker === worker) this.#abandon(broken());
    });
    return worker;
  }

  #answer(answered: Answered): void {
    if (answered.number !== this.#current?.number) return;
    const waiting = this.#finish();
    if ("compiled" in answered) waiting?.resolve(answered.compiled);
    else {
      this.#options.log.error("the compiler broke", { stack: answered.failure });
      waiting?.reject(broken());
    }
    this.#next();
  }

  /** Ends the thread over its present job; the next gets a new one. */
  #abandon(error: GatewayError): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
    this.#finish()?.reject(error);
    this.#next();
  }

  #finish(): Waiting | undefined {
    const waiting = this.#current;
    this.#current = undefined;
    clearTimeout(waiting?.late);
    return waiting;
  }
}

function busy(): GatewayError {
  return new GatewayError(503, "The compiler is busy", { retryAfter: 1 });
}

function tooLong(): GatewayError {
  return refusal(400, "Checking the definition takes too long.");
}

function broken(): GatewayError {
  return new GatewayError(500, "Internal error", { retryable: false });
}
