import { setTimeout as pause } from "node:timers/promises";
import { messageOf, numbersOf, type Range } from "../crash/source.ts";
import { createRandom } from "../fuzz/byte-mutator.ts";
import { nats, postgres, redis } from "../harness/brokers.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { unique } from "../harness/names.ts";
import { until } from "../harness/wait.ts";
import { buildReplicas, keys, type LeaseStoreName } from "./gateway-set.ts";
import { type Network, networkTo, replicaNames } from "./network.ts";
import { openPortal, portalToken } from "./portal.ts";
import { Replica } from "./replica.ts";
import { describeFault, type Fault, type Link, planFaults } from "./schedule.ts";
import { type Beat, startSink } from "./sink.ts";
import { type SharedSource, type SourceName, sourceOpeners } from "./sources.ts";
import type { Outcome } from "./verdict.ts";

/** The length and the contents of a simulation. */
export interface SimulationOptions {
  readonly seed: number;
  readonly faults: number;
  readonly leases: LeaseStoreName;
  /** The sources that brokers divide among the replicas. */
  readonly sources: readonly SourceName[];
  /** Whether the replicas have a portal, in PostgreSQL. */
  readonly hasPortal: boolean;
  /** Called with a description of each fault. */
  readonly note: (text: string) => void;
}

/** What the replicas of a run share in addition to leases and limits. */
export const sharings = {
  streams: { sources: ["jetstream", "streams"], hasPortal: false },
  brokers: { sources: ["kafka", "amqp", "mqtt"], hasPortal: true },
} as const satisfies Readonly<Record<string, Pick<SimulationOptions, "sources" | "hasPortal">>>;

/** The number of messages that each source gets during a fault. */
const perFault = 40;
/** Milliseconds that a caller waits for a response during a fault, which may prevent it for ever. */
const patience = 1_500;
/** Milliseconds to wait at the end for interrupted work to finish: longer than each session, lease and retry. */
const settlingTime = 90_000;

/** Simulates three replicas of one bundle, whose clocks are a minute apart, with faults. */
export async function simulate(options: SimulationOptions): Promise<Outcome> {
  const { seed, faults, leases, hasPortal, note } = options;
  const name = unique("replicas");
  const folder = temporaryDirectory("simulation");
  const quota = faults * 3;
  const sources = new Map(
    await Promise.all(
      options.sources.map(
        async (source): Promise<readonly [SourceName, SharedSource]> => [
          source,
          await sourceOpeners[source](name),
        ],
      ),
    ),
  );
  const inputs = Object.fromEntries([...sources].map(([source, { input }]) => [source, input]));
  const [out, sink] = await Promise.all([
    buildReplicas(folder, { leases, quota, inputs, hasPortal }),
    startSink(["orders", ...sources.keys()]),
  ]);
  const networkMakers = await waysOf(sources, leases, hasPortal);
  const env = { SINK: sink.url, NAME: name, ...(hasPortal && { GW_PORTAL_ACCESS_TOKENS: portalToken }) };
  const replicas = await Promise.all(
    replicaNames.map(async (each, index) => {
      const made = [...networkMakers].map(async ([link, make]) => [link, await make(index)] as const);
      const networks = new Map(await Promise.all(made));
      return new Replica(each, { out, folder, networks, env }, index - 1);
    }),
  );
  await Promise.all(replicas.map((replica) => replica.launch()));
  const callers = startCallers(replicas);
  const world = new World(replicas, sink.beats, note);
  await world.progress(undefined, 10);
  await world.healAll();
  const [first] = replicas;
  const portal = hasPortal && first !== undefined ? await openPortal(first) : undefined;

  let given = 0;
  const planned = planFaults(faults, createRandom(seed), [...networkMakers.keys()]);
  for (const fault of planned) {
    const range = { first: given, end: given + perFault };
    given += perFault;
    await world.during(fault, () =>
      Promise.all([give(sources.values(), range), callers.useFew(), portal?.useBy(replicas)]),
    );
  }
  await world.healAll();
  // During the faults, no response may have come in time.
  await portal?.useBy(replicas, settlingTime);

  await until(
    () => callers.useFew(settlingTime).then((statuses) => statuses.every((status) => status === 403)),
    {
      what: "the end of the quota",
    },
  );
  const confirmed = await callers.stop();
  const all = numbersOf({ first: 0, end: given });
  const lost: Record<string, readonly number[]> = {};
  for (const [source, ledger] of sink.ledgers) {
    const missing = () => ledger.missing(source === "orders" ? confirmed : all);
    await until(() => missing().length === 0, { timeout: settlingTime }).catch(() => undefined);
    lost[source] = missing();
  }
  if (portal !== undefined)
    await until(() => portal.untold().length === 0, { timeout: settlingTime }).catch(() => undefined);
  const judged = await portal?.judge(replicas);
  for (const replica of replicas) await replica.stop(true);
  const remaining = Object.fromEntries(
    await Promise.all(
      [...sources].map(async ([source, { remaining: count }]) => {
        await until(async () => (await count()) === 0).catch(() => undefined);
        return [source, await count()] as const;
      }),
    ),
  );
  await Promise.all(replicas.map((replica) => replica.close()));
  await Promise.all([
    ...[...sources.values()].map((source) => source.close()),
    sink.close(),
    portal?.close(),
  ]);
  return {
    beats: sink.beats,
    holdings: replicas
      .flatMap((replica) => replica.lines("lease acquired"))
      .filter(({ lease }) => lease?.endsWith("beats") === true),
    lost,
    remaining,
    quota,
    granted: callers.granted(),
    uncertain: callers.uncertain(),
    exits: replicas.flatMap(({ exits }) => exits),
    portal: judged,
    interruptions: planned.filter(interruptsWebhooks).length,
  };
}

/** Returns functions that connect a replica to each thing that it shares with the others. */
async function waysOf(
  sources: ReadonlyMap<SourceName, SharedSource>,
  leases: LeaseStoreName,
  hasPortal: boolean,
): Promise<ReadonlyMap<Link, (replica: number) => Promise<Network>>> {
  const leaseServer = { postgres, redis, jetstream: nats }[leases];
  const [lease, limits, store] = await Promise.all([
    leaseServer(),
    redis(),
    hasPortal ? postgres() : undefined,
  ]);
  return new Map<Link, (replica: number) => Promise<Network>>([
    ["leases", () => networkTo(lease.address)],
    ["limits", () => networkTo(limits.address)],
    ...(store === undefined ? [] : [["store", () => networkTo(store.address)] as const]),
    ...[...sources].map(([name, source]) => [name, (index: number) => source.network(index)] as const),
  ]);
}

/** Adds the messages of a range to each source. */
async function give(sources: Iterable<SharedSource>, range: Range): Promise<void> {
  const messages = numbersOf(range).map((number) => messageOf(number, range));
  await Promise.all([...sources].map((source) => source.give(messages)));
}

/** Whether a replica that sends a webhook may not learn, or not record, that it was received. */
function interruptsWebhooks(fault: Fault): boolean {
  if ("links" in fault) return fault.kind !== "slow" && fault.links.includes("store");
  return fault.kind !== "clock";
}

/** Starts callers that go from replica to replica, like a load balancer without health checks. */
function startCallers(replicas: readonly Replica[]) {
  const confirmed: number[] = [];
  const few: number[] = [];
  let next = 0;
  let isOver = false;
  const post = async (replica: Replica, key: string, number: number, limit = patience): Promise<number> => {
    if (replica.url === undefined) return 0;
    const answer = await fetch(`${replica.url}/shared/orders`, {
      method: "POST",
      headers: { "x-api-key": key },
      body: messageOf(number, { first: 0, end: 0 }),
      signal: AbortSignal.timeout(limit),
    }).catch(() => undefined);
    await answer?.arrayBuffer().catch(() => undefined);
    return answer?.status ?? 0;
  };
  const running = replicas.map(async (_, caller) => {
    for (let turn = caller; !isOver; turn += 1) {
      const [replica, number] = [replicas[turn % replicas.length], next];
      next += 1;
      if (replica !== undefined && (await post(replica, keys.many, number)) === 200) confirmed.push(number);
      await pause(20);
    }
  });
  return {
    /** Uses the limited key twice at each running replica; resolves with the statuses, 0 without a response. */
    async useFew(limit?: number): Promise<readonly number[]> {
      const uses = replicas
        .filter(({ url }) => url !== undefined)
        .flatMap((replica) => [replica, replica].map((each) => post(each, keys.few, -1, limit)));
      const statuses = await Promise.all(uses);
      few.push(...statuses);
      return statuses;
    },
    async stop(): Promise<readonly number[]> {
      isOver = true;
      await Promise.all(running);
      return confirmed;
    },
    granted: () => few.filter((status) => status === 200).length,
    uncertain: () => few.filter((status) => status !== 200 && status !== 403).length,
  };
}

/** Starts and ends faults. */
class World {
  readonly #replicas: readonly Replica[];
  readonly #beats: readonly Beat[];
  readonly #note: (text: string) => void;
  /** The replicas under a fault, with the function that ends it. */
  readonly #open = new Map<Replica, () => Promise<void>>();

  constructor(replicas: readonly Replica[], beats: readonly Beat[], note: (text: string) => void) {
    this.#replicas = replicas;
    this.#beats = beats;
    this.#note = note;
  }

  /** Resolves when `count` more messages have arrived from processes other than `but`. */
  async progress(but: string | undefined, count: number): Promise<void> {
    const from = this.#beats.length;
    const made = () => this.#beats.slice(from).filter(({ life }) => life !== but).length;
    await until(() => made() >= count, { timeout: 120_000, what: "messages of the generator" }).catch(
      (error: Error) => {
        throw new Error(
          [error.message, ...this.#replicas.map((replica) => replica.lastLines())].join("\n\n"),
        );
      },
    );
  }

  /**
   * Runs `work` during the fault and those that still last. Then ends the earlier ones, and this one unless it lasts.
   */
  async during(fault: Fault, work: () => Promise<unknown>): Promise<void> {
    const replica = this.#meant(fault);
    const before = [...this.#open.keys()];
    this.#note(`${describeFault(fault)} -> ${replica.life}`);
    const { life } = replica;
    const end = await this.#begin(fault, replica);
    this.#open.set(replica, end);
    const done = work();
    await this.progress(stopsLease(fault) ? life : undefined, fault.beats);
    await done;
    for (const each of before) await this.#heal(each);
    if (!fault.lasts) await this.#heal(replica);
  }

  async healAll(): Promise<void> {
    for (const replica of [...this.#open.keys()]) await this.#heal(replica);
    for (const replica of this.#replicas) {
      const isReady = async () => {
        const answer = await fetch(`${replica.adminUrl}/readyz`);
        if (answer.status !== 200) throw new Error(await answer.text());
        return true;
      };
      await until(isReady, { what: `readiness of ${replica.name}` }).catch((error: Error) => {
        throw new Error(`${error.message}: ${error.cause}\n${replica.lastLines()}`);
      });
    }
  }

  async #heal(replica: Replica): Promise<void> {
    await this.#open.get(replica)?.();
    this.#open.delete(replica);
  }

  /** Chooses the replica for the fault among those without one. */
  #meant({ role }: Fault): Replica {
    const holding = this.#beats.at(-1)?.life;
    const free = this.#replicas.filter((replica) => !this.#open.has(replica));
    const isHolder = ({ life }: Replica) => life === holding;
    const inOrder = [...free.filter(isHolder), ...free.filter((replica) => !isHolder(replica))];
    const place = { holder: 0, waiting: 1, last: 2 }[role];
    const meant = inOrder[Math.min(place, inOrder.length - 1)];
    if (meant === undefined) throw new Error("something is done to all replicas already");
    return meant;
  }

  /** Starts the fault; the result ends it. */
  async #begin(fault: Fault, replica: Replica): Promise<() => Promise<void>> {
    switch (fault.kind) {
      case "kill":
        await replica.kill();
        return () => replica.launch();
      case "stop":
        await replica.stop(true);
        return () => replica.launch();
      case "suspend":
        replica.suspend();
        return async () => replica.resume();
      case "clock":
        replica.stepClock(fault.minutes);
        return async () => undefined;
      default: {
        const networks = fault.links.map((link) => replica.network(link));
        for (const network of networks) {
          if (fault.kind === "partition") network.hold();
          else if (fault.kind === "half-open") network.mute();
          else if (fault.kind === "slow") network.slow(300);
          else network.reset();
        }
        return async () => {
          for (const network of networks) network.release();
        };
      }
    }
  }
}

/** Whether the fault makes a holder of the lease lose it. */
function stopsLease(fault: Fault): boolean {
  if (fault.kind === "partition") return fault.links.includes("leases");
  return fault.kind === "kill" || fault.kind === "stop" || fault.kind === "suspend";
}
