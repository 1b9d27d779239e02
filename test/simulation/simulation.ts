import { setTimeout as pause } from "node:timers/promises";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { Redis } from "ioredis";
import { messageOf, numbersOf } from "../crash/source.ts";
import { createRandom } from "../fuzz/byte-mutator.ts";
import { nats, postgres, redis } from "../harness/brokers.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { unique } from "../harness/names.ts";
import { until } from "../harness/wait.ts";
import { buildReplicas, keys, type LeaseStoreName } from "./gateway-set.ts";
import { Replica } from "./replica.ts";
import { describeFault, type Fault, planFaults } from "./schedule.ts";
import { type Beat, startSink } from "./sink.ts";
import type { Outcome } from "./verdict.ts";

/** How long a simulation is, and what decides it. */
export interface SimulationOptions {
  readonly seed: number;
  readonly faults: number;
  readonly leases: LeaseStoreName;
  /** Told of each fault. */
  readonly note: (text: string) => void;
}

/** Messages that each source is given during a fault. */
const perFault = 40;
/** Milliseconds that a caller waits for its answer. */
const patience = 1_500;

/** Three replicas of one bundle, whose clocks are a minute apart, and what happens to them. */
export async function simulate({ seed, faults, leases, note }: SimulationOptions): Promise<Outcome> {
  const name = unique("replicas");
  const folder = temporaryDirectory("simulation");
  const quota = faults * 3;
  const [redisServer, natsServer, out, sink] = await Promise.all([
    redis(),
    nats(),
    buildReplicas(folder, leases, quota),
    startSink(),
  ]);
  const leaseAddress =
    leases === "postgres"
      ? (await postgres()).address
      : leases === "redis"
        ? redisServer.address
        : natsServer.address;
  const shared = {
    leases: leaseAddress,
    limits: redisServer.address,
    jetstream: natsServer.address,
    streams: redisServer.address,
  };
  const sources = await openSources(natsServer.address, redisServer.address, name);
  const env = { SINK: sink.url, NAME: name };
  const replicas = await Promise.all(
    ["a", "b", "c"].map((each, index) => Replica.create(each, { out, folder, shared, env }, index - 1)),
  );
  await Promise.all(replicas.map((replica) => replica.launch()));
  const callers = startCallers(replicas);
  const world = new World(replicas, sink.beats, note);
  await world.progress(undefined, 10);

  let given = 0;
  for (const fault of planFaults(faults, createRandom(seed))) {
    const range = { first: given, end: given + perFault };
    given += perFault;
    await world.during(fault, () => Promise.all([sources.give(range), callers.useFew()]));
  }
  await world.healAll();

  await until(() => callers.useFew().then((statuses) => statuses.every((status) => status === 403)), {
    what: "the end of the quota",
    timeout: 60_000,
  });
  const confirmed = await callers.stop();
  const wanted = {
    jetstream: numbersOf({ first: 0, end: given }),
    streams: numbersOf({ first: 0, end: given }),
    orders: confirmed,
  };
  const lost: Record<string, readonly number[]> = {};
  for (const [source, numbers] of Object.entries(wanted)) {
    const ledger = sink.ledgers[source as keyof typeof wanted];
    const missing = () => ledger.missing(numbers);
    await until(() => missing().length === 0, { timeout: 60_000 }).catch(() => undefined);
    lost[source] = missing();
  }
  const remaining = await sources.remaining();
  for (const replica of replicas) await replica.stop(true);
  await Promise.all(replicas.map((replica) => replica.close()));
  await Promise.all([sources.close(), sink.close()]);
  return {
    beats: sink.beats,
    holdings: replicas.flatMap((replica) => replica.lines("lease acquired")),
    lost,
    remaining,
    quota,
    granted: callers.granted(),
    uncertain: callers.uncertain(),
    exits: replicas.flatMap(({ exits }) => exits),
  };
}

/** The sources that brokers divide, filled by clients that no fault concerns. */
async function openSources(natsAddress: string, redisAddress: string, name: string) {
  const client = await connect({ servers: natsAddress });
  const manager = await jetstreamManager(client);
  await manager.streams.add({ name, subjects: [name] });
  const redisClient = new Redis(redisAddress);
  const inJetstream = async () => {
    const { num_pending, num_ack_pending } = await manager.consumers.info(name, "replicas");
    return num_pending + num_ack_pending;
  };
  const inRedis = async () => {
    const [count] = (await redisClient.xpending(name, "replicas")) as [number];
    return count;
  };
  return {
    async give(range: { readonly first: number; readonly end: number }): Promise<void> {
      const publisher = jetstream(client);
      await Promise.all(
        numbersOf(range).flatMap((number) => {
          const message = messageOf(number, range);
          return [publisher.publish(name, message), redisClient.xadd(name, "*", "body", message)];
        }),
      );
    },
    async remaining() {
      const left = async (count: () => Promise<number>) => {
        await until(async () => (await count()) === 0).catch(() => undefined);
        return count();
      };
      return { jetstream: await left(inJetstream), streams: await left(inRedis) };
    },
    async close(): Promise<void> {
      await client.close();
      redisClient.disconnect();
    },
  };
}

/** Callers that go from replica to replica, as a load balancer without health checks would send them. */
function startCallers(replicas: readonly Replica[]) {
  const confirmed: number[] = [];
  const few: number[] = [];
  let next = 0;
  let isOver = false;
  const post = async (replica: Replica, key: string, number: number): Promise<number> => {
    if (replica.url === undefined) return 0;
    const answer = await fetch(`${replica.url}/shared/orders`, {
      method: "POST",
      headers: { "x-api-key": key },
      body: messageOf(number, { first: 0, end: 0 }),
      signal: AbortSignal.timeout(patience),
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
    /** Uses the key with the quota twice at each replica that runs; the statuses. */
    async useFew(): Promise<readonly number[]> {
      const uses = replicas
        .filter(({ url }) => url !== undefined)
        .flatMap((replica) => [replica, replica].map((each) => post(each, keys.few, -1)));
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

/** Brings faults about and ends them. */
class World {
  readonly #replicas: readonly Replica[];
  readonly #beats: readonly Beat[];
  readonly #note: (text: string) => void;
  /** Replicas that something is done to, with what ends it. */
  readonly #open = new Map<Replica, () => Promise<void>>();

  constructor(replicas: readonly Replica[], beats: readonly Beat[], note: (text: string) => void) {
    this.#replicas = replicas;
    this.#beats = beats;
    this.#note = note;
  }

  /** Resolves once `count` more messages have come of other lives than that one. */
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

  /** Does `work` while the fault and those that lasted are there, and ends them. */
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
      await until(isReady, { timeout: 60_000, what: `readiness of ${replica.name}` }).catch(
        (error: Error) => {
          throw new Error(`${error.message}: ${error.cause}\n${replica.lastLines()}`);
        },
      );
    }
  }

  async #heal(replica: Replica): Promise<void> {
    await this.#open.get(replica)?.();
    this.#open.delete(replica);
  }

  /** Of those that nothing is done to. */
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

  /** Begins it; the result ends it. */
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
        const networks = fault.links.map((link) => replica.networks[link]);
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

/** Whether a holder of the lease loses it. */
function stopsLease(fault: Fault): boolean {
  if (fault.kind === "partition") return fault.links.includes("leases");
  return fault.kind === "kill" || fault.kind === "stop" || fault.kind === "suspend";
}
