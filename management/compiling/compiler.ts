// Runs the compiler in a separate thread, so that requests are handled while it works. If a definition takes too long
// or crashes the compiler, only that thread ends.

import { Worker } from "node:worker_threads";
import { FairQueue } from "../../runtime/concurrency/semaphore.ts";
import { GatewayError } from "../../runtime/errors.ts";
import type { Logger } from "../../runtime/process/log.ts";
import { refusal } from "../../runtime/rest/answers.ts";
import {
  type Compiled,
  type Job,
  type JobResult,
  type NumberedJob,
  ready,
  type WorkerSettings,
} from "./messages.ts";

export interface CompilerOptions extends WorkerSettings {
  /** The program of the thread. */
  readonly program: URL;
  /** The maximum duration of a job, in milliseconds. */
  readonly timeout: number;
  readonly log: Logger;
}

interface Waiting {
  readonly job: Job;
  readonly resolve: (compiled: Compiled) => void;
  readonly reject: (error: GatewayError) => void;
}

/** The maximum number of waiting jobs. Each may contain a whole definition. */
const mostWaiting = 64;
/** The maximum heap size of the thread, in megabytes. */
const mostMemory = 2048;

/** Compiles in a thread that starts with the first job. */
export class Compiler {
  readonly #options: CompilerOptions;
  readonly #waiting = new FairQueue<Waiting>(mostWaiting);
  #worker: Worker | undefined;
  /** Whether the thread is loaded. */
  #isReady = false;
  #current: (Waiting & { readonly number: number }) | undefined;
  #late: NodeJS.Timeout | undefined;
  #number = 0;
  #isClosed = false;

  constructor(options: CompilerOptions) {
    this.#options = options;
  }

  /**
   * Returns the result of a job. Organisations take turns, and the jobs of each run in order; jobs of the service
   * itself have no organisation. Rejects with a `GatewayError`: 503 if too many jobs wait or the service stops, 400 if
   * the job takes too long, 500 if the compiler crashes.
   */
  compile(job: Job, organisation = ""): Promise<Compiled> {
    if (this.#isClosed) return Promise.reject(busy());
    return new Promise((resolve, reject) => {
      this.#waiting.add(organisation, { job, resolve, reject })?.reject(busy());
      this.#next();
    });
  }

  /** Ends the thread and rejects the unfinished jobs. */
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
    this.#current = { ...waiting, number };
    this.#worker ??= this.#start();
    const numbered: NumberedJob = { number, job: waiting.job };
    // The service may stop listening before a job ends, so the job keeps the process alive.
    this.#worker.ref();
    this.#worker.postMessage(numbered);
    this.#limit();
  }

  /** Limits the time of the current job, which begins when the thread is loaded. */
  #limit(): void {
    const kind = this.#current?.job.kind;
    // Process jobs have no time limit: they contain only the operator's settings and checked definitions.
    if (!this.#isReady || kind === undefined || kind === "process") return;
    this.#late = setTimeout(() => this.#abandon(tooLong()), this.#options.timeout);
  }

  #start(): Worker {
    const { program, settings, maximumBytes, log } = this.#options;
    const workerData: WorkerSettings = { maximumBytes, ...(settings && { settings }) };
    const worker = new Worker(program, {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: mostMemory },
    });
    worker.on("message", (message: JobResult | typeof ready) => {
      if (message !== ready) return this.#answer(message);
      if (this.#worker !== worker) return;
      this.#isReady = true;
      this.#limit();
    });
    worker.on("error", (error) => {
      log.error("the compiler thread crashed", { error });
      if (this.#worker === worker) this.#abandon(broken());
    });
    return worker;
  }

  #answer(answered: JobResult): void {
    if (answered.number !== this.#current?.number) return;
    const waiting = this.#finish();
    if ("compiled" in answered) waiting?.resolve(answered.compiled);
    else {
      this.#options.log.error("the compiler broke", { stack: answered.failure });
      waiting?.reject(broken());
    }
    this.#next();
  }

  /** Ends the thread and rejects its current job. The next job gets a new thread. */
  #abandon(error: GatewayError): void {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#isReady = false;
    void worker?.terminate();
    this.#finish()?.reject(error);
    this.#next();
  }

  #finish(): Waiting | undefined {
    const waiting = this.#current;
    this.#current = undefined;
    clearTimeout(this.#late);
    this.#worker?.unref(); // an idle thread does not keep the process alive
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
