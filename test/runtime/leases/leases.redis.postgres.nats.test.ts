// Leases in each store, with replicas that are partitioned, suspended or killed. Two replicas never hold one lease.

import { setTimeout as pause } from "node:timers/promises";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { GatewayScope, type LeaseSetting } from "../../../runtime/component/gateway-scope.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { jetStreamLeases } from "../../../runtime/leases/jetstream-leases.ts";
import {
  LeaseOutages,
  type LeaseStore,
  type Leases,
  scopedLeases,
} from "../../../runtime/leases/lease-store.ts";
import { Lease } from "../../../runtime/leases/leased-input.ts";
import { postgresLeases } from "../../../runtime/leases/postgres-leases.ts";
import { redisLeases } from "../../../runtime/leases/redis-leases.ts";
import { nats, postgres, redis } from "../../harness/brokers.ts";
import { unique } from "../../harness/names.ts";
import { startTcpProxy, type TcpProxy } from "../../harness/tcp-proxy.ts";
import { until } from "../../harness/wait.ts";
import { type LogLine, recordingLogger } from "../connectors/contexts.ts";

/** Milliseconds; the shortest term that is allowed. */
const term = 1_000;

const brokers = { redis: await redis(), postgres: await postgres(), nats: await nats() };
const addresses = {
  redis: brokers.redis.address,
  postgres: brokers.postgres.address,
  nats: brokers.nats.address,
};

/** Returns the same address behind the proxy. */
function through(address: string, { port }: TcpProxy): string {
  const url = new URL(address);
  url.hostname = "127.0.0.1";
  url.port = String(port);
  return url.href;
}

const bucket = unique("leases");

const settings: Readonly<Record<string, (proxy: TcpProxy) => LeaseSetting>> = {
  redis: (proxy) => redisLeases({ redis: through(addresses.redis, proxy), term }),
  postgres: (proxy) => postgresLeases({ postgres: through(addresses.postgres, proxy), term }),
  jetstream: (proxy) =>
    jetStreamLeases({ jetstream: { urls: [through(addresses.nats, proxy)], bucket }, term }),
};

function leasesOf(setting: LeaseSetting): Leases {
  const scope = new GatewayScope();
  setting.offer(scope);
  const { leases } = scope.get(scopedLeases);
  assert.ok(leases);
  return leases;
}

interface Replica {
  readonly proxy: TcpProxy;
  readonly lease: Lease;
  readonly lines: LogLine[];
  readonly outages: (string | undefined)[];
}

/** Starts replicas that want one lease, each behind its own proxy. `held` records the holders and any overlap. */
async function startReplicas(store: string, count: number) {
  const setting = settings[store];
  assert.ok(setting);
  const name = unique("orders/poll");
  const port = Number(new URL(addresses[store === "jetstream" ? "nats" : (store as "redis")]).port);
  const held: { readonly order: number[]; overlaps: number } = { order: [], overlaps: 0 };
  const holding = new Set<number>();
  const replicas = await Promise.all(
    Array.from({ length: count }, async (_, index): Promise<Replica> => {
      const proxy = await startTcpProxy(port);
      const lines: LogLine[] = [];
      const outages: (string | undefined)[] = [];
      const lease = new Lease(name, leasesOf(setting(proxy)), {
        log: recordingLogger(lines),
        beginOutage: (reason) => {
          outages.push(reason);
          return () => void outages.push(undefined);
        },
        onChange(isHeld) {
          if (isHeld) holding.add(index);
          else holding.delete(index);
          if (isHeld) held.order.push(index);
          if (holding.size > 1) held.overlaps += 1;
        },
      });
      return { proxy, lease, lines, outages };
    }),
  );
  const holders = () => replicas.filter(({ lease }) => lease.isHeld);
  const holder = async (what: string, isMeant: (replica: Replica) => boolean = () => true) =>
    until(
      () => {
        assert.ok(holders().length <= 1, "two replicas hold the lease");
        return holders().find(isMeant);
      },
      { what },
    );
  const close = async () => {
    await Promise.all(replicas.map(({ lease }) => lease.close()));
    await Promise.all(replicas.map(({ proxy }) => proxy.close()));
  };
  return { replicas, held, holder, close };
}

test("a lease passes to the next when its holder is cut off, and immediately when it is released", async () => {
  await Promise.all(Object.keys(settings).map(handOver));
});

async function handOver(store: string): Promise<void> {
  const { replicas, held, holder, close } = await startReplicas(store, 3);
  const first = await holder(`a first holder in ${store}`);
  const { fence = 0 } = first.lease;
  // The requests and responses of the holder are delayed: it must notice on its own that its lease has expired.
  first.proxy.hold();
  const second = await holder(`another holder in ${store}`, (replica) => replica !== first);
  assert.ok(!first.lease.isHeld);
  assert.ok((second.lease.fence ?? 0) > fence, "the token rises");
  first.proxy.release();
  // A holder whose connection is reset connects again and keeps the lease.
  second.proxy.reset();
  await second.lease.close();
  const third = await holder(`a third holder in ${store}`, (replica) => replica !== second);
  await third.lease.close();
  const last = replicas.find((replica) => replica !== second && replica !== third);
  await holder(`the last holder in ${store}`, (replica) => replica === last);
  await close();
  assert.is(held.overlaps, 0);
  assert.ok(held.order.length >= 4);
}

test("lost responses never leave two holders of a lease", async () => {
  const { held, holder, close } = await startReplicas("redis", 2);
  const first = await holder("a holder");
  // The server renews the lease, but the holder never receives the response and repeats the request on a new connection.
  const { connections } = first.proxy;
  first.proxy.mute();
  await until(() => first.proxy.connections > connections, { what: "another connection" });
  await holder("the other one, or still the same");
  await close();
  assert.is(held.overlaps, 0);
});

/** Returns a store in memory that executes each request, but responds late or not at all to one replica. */
function slowStore() {
  let lease = { holder: "", ends: Number.NEGATIVE_INFINITY };
  let fence = 0;
  const isOf = (holder: string) => lease.holder === holder && performance.now() < lease.ends;
  const store: LeaseStore = {
    async acquire(_, holder) {
      if (performance.now() < lease.ends && lease.holder !== holder) return undefined;
      lease = { holder, ends: performance.now() + term };
      fence += 1;
      return fence;
    },
    async renew(_, holder) {
      if (!isOf(holder)) return false;
      lease = { holder, ends: performance.now() + term };
      return true;
    },
    async release(_, holder) {
      if (isOf(holder)) lease = { holder: "", ends: Number.NEGATIVE_INFINITY };
    },
    async close() {},
  };
  /** Returns the store behind a network that applies `network` to each response. */
  const behind = (network: () => Promise<void>): LeaseStore => {
    const answer = async <T>(asked: Promise<T>) => {
      const result = await asked;
      await network();
      return result;
    };
    return {
      acquire: (name, holder) => answer(store.acquire(name, holder)),
      renew: (name, holder) => answer(store.renew(name, holder)),
      release: (name, holder) => answer(store.release(name, holder)),
      close: () => store.close(),
    };
  };
  return { behind, isTaken: () => performance.now() < lease.ends };
}

const badNetworks: Readonly<Record<string, () => Promise<void>>> = {
  "come too late": () => pause(term),
  "are lost": async () => {
    await pause(term / 3);
    throw new GatewayError(503, "The store does not answer");
  },
};

for (const [name, network] of Object.entries(badNetworks)) {
  test(`a replica whose responses ${name} does not keep others from the lease`, async () => {
    const { behind, isTaken } = slowStore();
    const open = (store: LeaseStore) =>
      new Lease(
        "orders/poll",
        { term, prefix: "test", outages: new LeaseOutages(), open: async () => store },
        { log: recordingLogger([]), onChange: () => undefined },
      );
    const bad = open(behind(network));
    await until(isTaken, { what: "the lease of the replica with a bad network" });
    const good = open(behind(async () => undefined));
    await until(() => good.isHeld, { what: "the lease of the other one" });
    assert.not(bad.isHeld);
    await Promise.all([bad.close(), good.close()]);
  });
}

test("a holder that was suspended notices immediately that its lease has expired", async () => {
  const { replicas, holder, close } = await startReplicas("redis", 1);
  const { lease } = await holder("the holder");
  // Blocks the process: neither timers nor responses are handled.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, term);
  assert.is(lease.isHeld, false);
  await close();
  assert.is(replicas.length, 1);
});

test("an unavailable store is an outage for replicas without a lease, until it is available again", async () => {
  const { replicas, holder, close } = await startReplicas("redis", 1);
  const { proxy, outages, lines } = await holder("the holder");
  const before = outages.length;
  proxy.hold();
  await until(() => outages[before] === "the lease store is unavailable", { what: "the outage" });
  await until(() => lines.some(({ message }) => message === "lease lost"), { what: "its line in the log" });
  proxy.release();
  await holder("the holder anew");
  assert.equal(outages.slice(before), ["the lease store is unavailable", undefined]);
  await close();
  assert.ok(!replicas[0]?.lease.isHeld);
});

test("all leases of a gateway log an unavailable store once, and its return once", async () => {
  const proxy = await startTcpProxy(Number(new URL(addresses.redis).port));
  const setting = settings.redis;
  assert.ok(setting);
  const leases = leasesOf(setting(proxy));
  const lines: LogLine[] = [];
  let out = 0;
  proxy.hold();
  const open = ["a", "b", "c"].map(
    (name) =>
      new Lease(unique(name), leases, {
        log: recordingLogger(lines),
        beginOutage: () => {
          out += 1;
          return () => {
            out -= 1;
          };
        },
        onChange: () => undefined,
      }),
  );
  const about = (text: string) => lines.filter(({ message }) => message.startsWith(`lease store ${text}`));
  await until(() => out === 3, { what: "the outage of all" });
  assert.is(about("unavailable").length, 1);
  const [first] = about("unavailable");
  assert.match(String(first?.fields.reason), /^Redis /);
  assert.not.ok("error" in (first?.fields ?? {}));
  proxy.release();
  await until(() => open.every(({ isHeld }) => isHeld), { what: "all leases" });
  assert.is(out, 0);
  assert.is(about("available").length, 1);
  assert.is(about("available")[0]?.fields.leases, 3);
  await Promise.all(open.map((lease) => lease.close()));
  await proxy.close();
});

test.after(async () => void (await Promise.all(Object.values(brokers).map((broker) => broker.stop()))));
test.run();
