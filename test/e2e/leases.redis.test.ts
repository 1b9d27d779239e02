// Three replicas of one bundle, with clocks a minute apart, share a generator: only one of them runs it at a time, whatever
// happens to that replica.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { redis } from "../harness/brokers.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { httpServer } from "../harness/http-server.ts";
import { unique } from "../harness/names.ts";
import { warmSluice } from "../harness/sluice.ts";
import { until } from "../harness/wait.ts";
import { wrongClock } from "../harness/wrong-clock.ts";
import { type BuiltGateway, startBundle, whenReady } from "./gateway.ts";

const api = `openapi: 3.1.0
info: { title: Beats, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
    beat:
      input:
        generate:
          interval: 20ms
          mapping: 'root = {"replica": env("REPLICA"), "number": counter(), "at": timestamp_unix_milli()}'
      output: { http_client: { url: "\${SINK}", retries: 0 } }
`;

const settings = `apis: [api.yaml]
streaming: { enabled: true }
leases: { redis: "\${REDIS}", term: 1s, prefix: "\${PREFIX}" }
analytics: { prometheus: {} }
`;

interface Beat {
  readonly replica: string;
  readonly number: number;
  /** When the replica generated it: Unix time in milliseconds by the replica's clock. */
  readonly at: number;
}

const broker = await redis();
test.after(() => broker.stop());

test("one replica at a time generates messages, through kills, suspensions and stops", async () => {
  const folder = temporaryDirectory("leases");
  writeFileSync(join(folder, "api.yaml"), api);
  writeFileSync(join(folder, "gateway.yaml"), settings);
  const out = join(folder, "out");
  const built = await warmSluice(["build", join(folder, "gateway.yaml"), "-o", out]);
  assert.is(built.status, 0, built.stderr);

  const sink = await httpServer();
  const environment = { SINK: sink.url, REDIS: broker.address, PREFIX: unique("beats") };
  const replicas = await Promise.all(
    ["a", "b", "c"].map(async (name, index) => {
      const minutes = index - 1;
      const env = { ...environment, REPLICA: name, ...wrongClock(folder, name, minutes).env };
      return { name, minutes, gateway: await startBundle(out, env) };
    }),
  );
  const accepted = (): readonly Beat[] => sink.requests.map(({ body }) => JSON.parse(`${body}`));
  const newest = () => accepted().at(-1)?.replica;
  const next = (former: string | undefined) =>
    until(() => (newest() === former ? undefined : newest()), { what: `a replica other than ${former}` });
  const named = (name: string) => replicas.find((replica) => replica.name === name)?.gateway as BuiltGateway;

  /** Returns when a replica has acquired the lease: Unix times in milliseconds by its clock. */
  const acquisitions = (name: string) =>
    named(name)
      .program.output()
      .split("\n")
      .filter((line) => line.includes('"msg":"lease acquired"'))
      .map((line) => Date.parse(JSON.parse(line).time));

  for (const { gateway } of replicas) await whenReady(gateway);
  // On a busy machine a replica may lose its lease, so this looks until all agree.
  const first = await until(
    async () => {
      const holder = await next(undefined);
      for (const { name, gateway } of replicas) {
        const { streams } = (await (await fetch(`${gateway.adminUrl}/streams`)).json()) as {
          streams: readonly { status: string; reason?: string }[];
        };
        assert.is(
          streams[0]?.status === "waiting" ? streams[0].reason : undefined,
          name === holder ? undefined : "the lease is held by another replica",
        );
        const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
        const held = new RegExp(`sluice_lease_held\\{lease="[^"]*/beat"\\} ${name === holder ? 1 : 0}`);
        assert.match(metrics, held);
      }
      return holder;
    },
    { what: "one holder in what all replicas report" },
  );

  // Suspended for longer than its lease: another replica continues, and this one generates nothing more when it wakes.
  // What it had generated before may still be on its way to the sink.
  named(first).program.process.kill("SIGSTOP");
  const second = await next(first);
  const continued = Date.now() + 60_000 * (replicas.find(({ name }) => name === first)?.minutes ?? 0);
  const before = accepted().length;
  named(first).program.process.kill("SIGCONT");
  await until(() => accepted().length > before + 50, { what: "further messages" });
  const anew = acquisitions(first).find((time) => time > continued) ?? Number.POSITIVE_INFINITY;
  const late = accepted().filter(({ replica, at }) => replica === first && at > continued && at < anew);
  assert.equal(late, [], "messages of a replica that was suspended");

  named(second).program.process.kill("SIGKILL");
  const third = await next(second);
  const stopped = named(third).program.stop();
  await next(third);
  assert.is(await stopped, 0);
  const left = replicas.filter(({ name }) => name !== second && name !== third);
  assert.equal(
    await Promise.all(left.map(({ gateway }) => gateway.program.stop())),
    left.map(() => 0),
  );

  // All messages of the replica that was stopped arrived since it last acquired the lease; one that loses it, as the
  // replica that was suspended did, loses those that it has not sent.
  const last = accepted().findLast(({ replica }) => replica === third)?.at ?? 0;
  const since = Math.max(...acquisitions(third).filter((time) => time <= last));
  const numbers = accepted().flatMap(({ replica, number, at }) =>
    replica === third && at >= since ? [number] : [],
  );
  assert.equal(
    new Set(numbers).size,
    Math.max(...numbers) - Math.min(...numbers) + 1,
    "each message of the one that stopped was delivered",
  );
  // In the order in which they were generated, the messages of a replica are together for each time it had the lease.
  const minutesOf = new Map(replicas.map(({ name, minutes }) => [name, minutes]));
  const generated = ({ replica, at }: Beat) => at - 60_000 * (minutesOf.get(replica) ?? 0);
  const turns = accepted()
    .toSorted((one, other) => generated(one) - generated(other))
    .filter(({ replica }, index, all) => replica !== all[index - 1]?.replica);
  const acquired = replicas.flatMap(({ name }) => acquisitions(name)).length;
  assert.ok(turns.length <= acquired, `${turns.map(({ replica }) => replica)} of ${acquired} times`);
  await sink.close();
});

test.run();
