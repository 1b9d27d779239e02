// The process in front of the workers: forks them, starts again those that ended, speaks for all to operators,
// and counts for them, so that a limit is one limit however many they are.

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

/** What one worker has open. */
type Places = Map<number, Occupancy>;

/** Answers workers by counters in the primary's memory, which answer at once. */
export class Counting {
  readonly #counters: Counters;
  readonly #places = new Map<number, Places>();
  #entered = 0;

  constructor(counters: Counters) {
    this.#counters = counters;
  }

  /** Answers what a worker asks, in order. */
  async answer(worker: number, requests: readonly CountRequest[]): Promise<readonly CountAnswer[]> {
    const places = this.#places.get(worker) ?? new Map();
    this.#places.set(worker, places);
    return Promise.all(requests.map((request) => this.#answerOne(places, request)));
  }

  /** Takes back what a worker had open that is no more. */
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
  /** Milliseconds that workers get to finish what is in flight. */
  readonly shutdownTimeout: number;
  readonly log: Logger;
  /** What it counts by for its workers, where their requests are counted. */
  readonly counters?: Counters | undefined;
  /** Hears what workers say of deployments, and when one has ended. */
  readonly deploying?: DeployingWorkers | undefined;
}

/** What brings deployments to the workers. */
export interface DeployingWorkers {
  /** `answer` says something to the worker, now or later. */
  heard(worker: number, message: DeployedMessage, answer: (message: DeployMessage) => void): void;
  ended(worker: number): void;
}

/** Pauses before a worker that ended is started again, in milliseconds. */
const restartPauses = { first: 500, longest: 30_000 };
/** Milliseconds after which a worker that ends has not ended at once: the next pause is a short one again. */
const longLife = 5_000;
/** Milliseconds a worker has to answer operators; one that does not counts as not ready. */
const answerTime = 2_000;
/** Milliseconds beyond the shutdown timeout after which a worker is cut off. */
const lastGrace = 5_000;

/** A worker ended before it listened; it has said why. */
export class WorkerFailure extends Error {
  override readonly name = "WorkerFailure";
}

/** A worker's place: who fills it changes. */
interface Place {
  readonly number: number;
  readonly backoff: Backoff;
  worker: Worker;
  timer?: NodeJS.Timeout;
  address?: string;
  /** When the present worker began to listen, as `performance.now` gives it; `undefined` until it does. */
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
  #asked = 0;
  /** The same in every worker. */
  #routes: readonly RouteRow[] = [];
  #admin: Server | undefined;
  /** From here on it is not ready; workers that end are still started again until they are stopped. */
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
   * Opens the listener for operators; resolves once every worker listens. Rejects when that listener cannot open, or
   * with a `WorkerFailure` when a worker ends before it listens. The others wait for the first, so that what keeps all
   * of them from starting is said once.
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

  /** The states of the streams of all workers that answer, each with the number of its worker. */
  async states(): Promise<readonly (StreamState & { readonly worker: number })[]> {
    const views = await Promise.all(this.#places.map((place) => this.#ask(place)));
    return views.flatMap((view, worker) => (view?.states ?? []).map((state) => ({ ...state, worker })));
  }

  /** After the drain delay lets every worker finish what is in flight; resolves when all have ended. */
  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  /** Passes a signal on to every worker. */
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
      // Of one that has ended nothing counts any more: what it had open was taken back.
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
      this.#options.deploying?.heard(number, message, (answer) => tell(worker, answer));
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
    tell(worker, { kind: "counted", id, answers });
  }

  /** A worker that never listened has said why, unless it was killed; there is no use in starting it again. */
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

  /** What a worker says of itself; `undefined` when it is not there, or busy with something that never ends. */
  #ask({ worker }: Place): Promise<WorkerView | undefined> {
    this.#asked += 1;
    const id = this.#asked;
    return new Promise((resolve) => {
      const finish = (view: WorkerView | undefined) => {
        clearTimeout(timer);
        this.#questions.delete(id);
        resolve(view);
      };
      const timer = setTimeout(finish, answerTime, undefined);
      this.#questions.set(id, finish);
      if (!tell(worker, { kind: "view", id })) finish(undefined);
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
  const stop = () => tell(worker, { kind: "stop" });
  // What a worker is told before its program listens is lost: node:cluster takes it. With its first words it listens.
  worker.on("message", stop);
  stop();
  await new Promise((resolve) => worker.once("exit", resolve));
  clearTimeout(cut);
}

/** Whether the message reached the worker. */
function tell(worker: Worker, message: PrimaryMessage): boolean {
  if (!worker.isConnected()) return false;
  worker.send(message, () => undefined); // it may end this very moment, which its exit tells
  return true;
}

/** How node:cluster hands over a connection, and what it has for an answer (`lib/internal/cluster`, as of Node 24). */
interface HandOver {
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

/** Milliseconds between two looks whether all that a dead worker has said has been read. */
const look = 10;

/**
 * Once `worker` is gone, has node:cluster hand what it did not get any more to another one where `isAnotherThere` says
 * that there is one, and close it else. Where Node speaks otherwise with its workers, this does nothing.
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
    // Node does not say so while a connection is under way, and would go on to hand others to the dead one.
    if (!isParted) child.emit("disconnect");
    for (const ack of underWay) {
      child.emit("internalMessage", { cmd: "NODE_CLUSTER", ack, accepted: !isAnotherThere() });
    }
  }
  worker.once("exit", recover);
}
