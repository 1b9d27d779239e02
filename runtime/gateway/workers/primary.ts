// The primary process of several workers: it forks them, restarts those that end, and represents them to operators.
// It also counts for them, so that a limit applies to all of them together.

import type { Worker } from "node:cluster";
import { mkdtempSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { join } from "node:path";
import { type Backoff, createBackoff } from "../../concurrency/backoff.ts";
import type { CountAnswer, Counters, CountRequest, Occupancy } from "../../counters.ts";
import { cluster, os } from "../../process/builtins.ts";
import { type ListenAddress, listen } from "../../process/listen-address.ts";
import type { Logger } from "../../process/log.ts";
import { joinMetrics } from "../../process/metrics.ts";
import { waitForBalancers } from "../../process/shutdown.ts";
import { workerVariables } from "../../process/worker-place.ts";
import type { StreamState } from "../../stream/stream-state.ts";
import type { AdminAccess } from "../admin/access.ts";
import type { RouteRow } from "../admin/route-row.ts";
import { createAdminServer } from "../admin/server.ts";
import type {
  DeployedMessage,
  DeployMessage,
  PrimaryMessage,
  WorkerMessage,
  WorkerView,
} from "./messages.ts";

/** The requests and connections that one worker has open. */
type Places = Map<number, Occupancy>;

/** Answers workers with counters in the primary's memory. */
export class Counting {
  readonly #counters: Counters;
  readonly #places = new Map<number, Places>();
  #entered = 0;

  constructor(counters: Counters) {
    this.#counters = counters;
  }

  /** Answers the questions of a worker in order. */
  async answer(worker: number, requests: readonly CountRequest[]): Promise<readonly CountAnswer[]> {
    const places = this.#places.get(worker) ?? new Map();
    this.#places.set(worker, places);
    return Promise.all(requests.map((request) => this.#answerOne(places, request)));
  }

  /** Releases everything that a worker had open; called when the worker has ended. */
  forget(worker: number): void {
    for (const place of this.#places.get(worker)?.values() ?? []) place.leave();
    this.#places.delete(worker);
  }

  async #answerOne(places: Places, request: CountRequest): Promise<CountAnswer> {
    if ("claims" in request) return this.#counters.take(request.claims);
    if ("left" in request) {
      places.get(request.left)?.leave();
      places.delete(request.left);
      return { entered: request.left };
    }
    const entered = await this.#counters.enter(request.seats);
    if (typeof entered === "number") return { full: entered };
    this.#entered += 1;
    places.set(this.#entered, entered);
    return { entered: this.#entered };
  }
}

export interface PrimaryOptions {
  readonly workers: number;
  readonly adminListen: ListenAddress;
  readonly adminAccess: AdminAccess;
  /** Milliseconds between failing readiness and ending the workers. */
  readonly drainDelay: number;
  /** Milliseconds for workers to finish what is in flight. */
  readonly shutdownTimeout: number;
  readonly log: Logger;
  /** The counters for the requests of the workers, if they are counted. */
  readonly counters?: Counters | undefined;
  /** Receives the messages of workers about deployments, and learns when a worker ended. */
  readonly deploying?: DeployingWorkers | undefined;
}

/** Brings deployments to the workers. */
export interface DeployingWorkers {
  /** `answer`: sends a message to the worker, now or later. */
  heard(worker: number, message: DeployedMessage, answer: (message: DeployMessage) => void): void;
  ended(worker: number): void;
}

/** Pauses before a worker that ended is restarted, in milliseconds. */
const restartPauses = { first: 500, longest: 30_000 };
/** Milliseconds that a worker must live for the next pause to be a short one again. */
const longLife = 5_000;
/** Milliseconds that a worker has to answer a question of operators; otherwise it counts as not ready. */
const answerTime = 2_000;
/** Milliseconds beyond the shutdown timeout after which a worker is killed. */
const lastGrace = 5_000;

/** Thrown if a worker ends before it listens; the worker has logged the reason. */
export class WorkerFailure extends Error {
  override readonly name = "WorkerFailure";
}

/** The place of a worker; a restart puts another process there. */
interface Place {
  readonly number: number;
  readonly backoff: Backoff;
  worker: Worker;
  timer?: NodeJS.Timeout;
  address?: string;
  /** When the current worker began to listen, as `performance.now()` returns it; `undefined` until then. */
  listeningSince?: number | undefined;
}

/** The workers of one gateway. */
export class Primary {
  readonly #options: PrimaryOptions;
  readonly #folder = mkdtempSync(join(os().tmpdir(), "sluice-"));
  readonly #places: Place[] = [];
  readonly #questions = new Map<number, (view: WorkerView) => void>();
  readonly #listening = Promise.withResolvers<string>();
  readonly #counting: Counting | undefined;
  #questionCount = 0;
  /** The routes are the same in every worker. */
  #routes: readonly RouteRow[] = [];
  #admin: Server | undefined;
  /** Set when shutdown begins: the gateway is not ready, but workers that end are restarted until they are stopped. */
  #closing: Promise<void> | undefined;
  #isStopping = false;
  #isListening = false;

  /** Forks the first worker. */
  constructor(options: PrimaryOptions) {
    this.#options = options;
    this.#counting = options.counters && new Counting(options.counters);
    this.#addPlace();
  }

  /**
   * Opens the admin listener; resolves when every worker listens. Rejects if that listener cannot open, or with a
   * `WorkerFailure` if a worker ends before it listens. The other workers start after the first, so that a problem that
   * all of them have is reported once.
   */
  async start(): Promise<void> {
    const { adminListen, adminAccess, log } = this.#options;
    this.#admin = createAdminServer(
      {
        unready: () => this.#unready(),
        notes: () => this.#notes(),
        states: () => this.states(),
        routes: () => this.#routes,
        metrics: () => this.#metrics(),
      },
      adminAccess,
      log,
    );
    const admin = await listen(this.#admin, adminListen, { variable: "GW_ADMIN_LISTEN" });
    const gateway = await this.#listening.promise;
    this.#isListening = true;
    log.info("listening", { gateway, admin, workers: this.#places.length });
  }

  /** Resolves with the stream states of all workers that answer, each with the number of its worker. */
  async states(): Promise<readonly (StreamState & { readonly worker: number })[]> {
    const views = await Promise.all(this.#places.map((place) => this.#ask(place)));
    return views.flatMap((view, worker) => (view?.states ?? []).map((state) => ({ ...state, worker })));
  }

  /** After the drain delay, lets every worker finish what is in flight; resolves when all have ended. */
  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  /** Sends a signal to every worker. */
  signal(name: NodeJS.Signals): void {
    for (const { worker } of this.#places) if (!worker.isDead()) worker.process.kill(name);
  }

  #addPlace(): void {
    const number = this.#places.length;
    this.#places.push({ number, backoff: createBackoff(restartPauses), worker: this.#fork(number) });
  }

  #fork(number: number): Worker {
    const worker = cluster().fork({
      [workerVariables.number]: String(number),
      [workerVariables.socket]: join(this.#folder, "home.sock"),
    });
    this.#options.log.info("worker started", { worker: number, process: worker.process.pid });
    worker.on("message", (message: WorkerMessage) => {
      // Ignore messages of a worker that has ended: everything that it had open was released.
      if (!worker.isDead()) this.#hear(number, message);
    });
    worker.on("exit", (code, signal) => this.#ended(number, code, signal));
    recoverHandedConnections(worker, () => !this.#isStopping && this.#isAnyListening());
    return worker;
  }

  #hear(number: number, message: WorkerMessage): void {
    if (message.kind === "view") {
      this.#questions.get(message.id)?.(message.view);
      return;
    }
    const place = this.#places[number];
    if (place === undefined) return;
    if (message.kind === "count") {
      void this.#count(place, message.id, message.requests);
      return;
    }
    if (message.kind !== "listening") {
      const { worker } = place;
      this.#options.deploying?.heard(number, message, (answer) => send(worker, answer));
      return;
    }
    place.address = message.address;
    place.listeningSince ??= performance.now();
    this.#routes = message.routes;
    while (this.#places.length < this.#options.workers) this.#addPlace();
    if (this.#places.every(({ address }) => address !== undefined)) this.#listening.resolve(message.address);
  }

  async #count({ number, worker }: Place, id: number, requests: readonly CountRequest[]): Promise<void> {
    const answers = (await this.#counting?.answer(number, requests)) ?? [];
    send(worker, { kind: "counted", id, answers });
  }

  /** Handles the end of a worker. One that never listened is not restarted: it logged the reason, unless killed. */
  #ended(number: number, code: number, signal: string | null): void {
    const place = this.#places[number];
    this.#counting?.forget(number);
    this.#options.deploying?.ended(number);
    if (place === undefined || this.#isStopping) return;
    if (place.address === undefined) {
      if (signal !== null) this.#options.log.error("worker ended", { worker: number, signal });
      this.#listening.reject(new WorkerFailure(`worker ${number} cannot start`));
      return;
    }
    const { listeningSince: since } = place;
    if (since !== undefined && performance.now() - since > longLife) place.backoff.reset();
    place.listeningSince = undefined;
    const pause = place.backoff.next();
    this.#options.log.error("worker ended", { worker: number, code, signal, restartIn: pause });
    place.timer = setTimeout(() => {
      place.worker = this.#fork(number);
    }, pause);
  }

  #isAnyListening(): boolean {
    return this.#places.some(
      ({ worker, listeningSince }) =>
        listeningSince !== undefined && worker.isConnected() && !worker.isDead(),
    );
  }

  async #unready(): Promise<readonly string[]> {
    if (this.#closing !== undefined) return ["shutting down"];
    const views = await Promise.all(this.#places.map((place) => this.#ask(place)));
    return views.flatMap((view, number) =>
      view === undefined
        ? [`worker ${number} does not answer`]
        : view.unready.map((one) => `worker ${number}: ${one}`),
    );
  }

  async #notes(): Promise<readonly string[]> {
    const views = await Promise.all(this.#places.map((place) => this.#ask(place)));
    return views.flatMap((view, number) => (view?.notes ?? []).map((one) => `worker ${number}: ${one}`));
  }

  async #metrics(): Promise<string> {
    const views = await Promise.all(this.#places.map((place) => this.#ask(place)));
    return joinMetrics(views.flatMap((view) => view?.metrics ?? []));
  }

  /** Resolves with the view of a worker; with `undefined` if the worker is not there, or does not answer in time. */
  #ask({ worker }: Place): Promise<WorkerView | undefined> {
    this.#questionCount += 1;
    const id = this.#questionCount;
    return new Promise((resolve) => {
      const finish = (view: WorkerView | undefined) => {
        clearTimeout(timer);
        this.#questions.delete(id);
        resolve(view);
      };
      const timer = setTimeout(finish, answerTime, undefined);
      this.#questions.set(id, finish);
      if (!send(worker, { kind: "view", id })) finish(undefined);
    });
  }

  async #shutDown(): Promise<void> {
    const { log, drainDelay, shutdownTimeout } = this.#options;
    if (this.#isListening) await waitForBalancers(drainDelay, log);
    this.#isStopping = true;
    log.info("stopping");
    await Promise.all(this.#places.map((place) => endWorker(place, shutdownTimeout + lastGrace)));
    const admin = this.#admin;
    admin?.closeAllConnections();
    if (admin?.listening) await new Promise((resolve) => admin.close(resolve));
    rmSync(this.#folder, { recursive: true, force: true });
    log.info("stopped");
  }
}

async function endWorker({ worker, timer }: Place, deadline: number): Promise<void> {
  clearTimeout(timer);
  if (worker.isDead()) return;
  const cut = setTimeout(() => worker.process.kill("SIGKILL"), deadline);
  const stop = () => send(worker, { kind: "stop" });
  // node:cluster drops messages before the worker's program listens: its first message shows that it does.
  worker.on("message", stop);
  stop();
  await new Promise((resolve) => worker.once("exit", resolve));
  clearTimeout(cut);
}

/** Sends a message to a worker; returns whether the worker is connected. */
function send(worker: Worker, message: PrimaryMessage): boolean {
  if (!worker.isConnected()) return false;
  worker.send(message, () => undefined); // ignores the error of a worker that is ending: "exit" follows
  return true;
}

/** The messages with which node:cluster hands over a connection (`lib/internal/cluster` in Node.js 24). */
interface HandOver {
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

/** Milliseconds between two checks whether all messages of a dead worker have been read. */
const look = 10;

/**
 * When `worker` exits, makes node:cluster pass the connections that the worker never received to another worker, or
 * close them if `isAnotherThere` returns false. Does nothing if Node.js uses other messages.
 */
function recoverHandedConnections(worker: Worker, isAnotherThere: () => boolean): void {
  const child = worker.process;
  const underWay = new Set<number>();
  let isParted = false;
  const send = child.send.bind(child) as (...args: readonly unknown[]) => boolean; // overloaded
  child.send = (message: HandOver, ...others: readonly unknown[]) => {
    if (message.act === "newconn" && message.seq !== undefined) underWay.add(message.seq);
    return send(message, ...others);
  };
  child.on("internalMessage", ({ ack }: HandOver) => {
    if (ack !== undefined) underWay.delete(ack);
  });
  child.once("disconnect", () => {
    isParted = true;
  });

  function recover(): void {
    if (child.connected) {
      setTimeout(recover, look);
      return;
    }
    // Node.js does not emit this while a connection is being handed over, and would pass others to the dead worker.
    if (!isParted) child.emit("disconnect");
    for (const ack of underWay) {
      child.emit("internalMessage", { cmd: "NODE_CLUSTER", ack, accepted: !isAnotherThere() });
    }
  }
  worker.once("exit", recover);
}
