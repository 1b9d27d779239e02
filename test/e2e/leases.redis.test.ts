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

  const first = await next(undefined);
  for (const { name, gateway } of replicas) {
    await whenReady(gateway);
    const { streams } = (await (await fetch(`${gateway.adminUrl}/streams`)).json()) as {
      streams: readonly { status: string; reason?: string }[];
    };
    assert.is(
      streams[0]?.status === "waiting" ? streams[0].reason : undefined,
      name === first ? undefined : "the lease is held by another replica",
    );
    const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text();
    assert.match(metrics, new RegExp(`sluice_lease_held\\{lease="[^"]*/beat"\\} ${name === first ? 1 : 0}`));
  }

  // Suspended for longer than its lease: another replica continues, and this one generates nothing more when it wakes.
  // What it had generated before may still be on its way to the sink.
  named(first).program.process.kill("SIGSTOP");
  const second = await next(first);
  const continued = Date.now() + 60_000 * (replicas.find(({ name }) => name === first)?.minutes ?? 0);
  const before = accepted().length;
  named(first).program.process.kill("SIGCONT");
  await until(() => accepted().length > before + 50, { what: "further messages" });
  const late = accepted().filter(({ replica, at }) => replica === first && at > continued);
  assert.equal(late, [], "messages of a replica that was suspended");

  const atKill = accepted().length;
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

  // All messages of the replica that was stopped arrived; a replica that was killed or suspended has lost its unsent ones.
  // It may be the replica suspended earlier, whose messages from that time are missing.
  const numbers = accepted()
    .slice(atKill)
    .flatMap(({ replica, number }) => (replica === third ? [number] : []));
  assert.equal(
    new Set(numbers).size,
    Math.max(...numbers) - Math.min(...numbers) + 1,
    "each message of the one that stopped was delivered",
  );
  const inTime = accepted().filter((_, index) => index < before || index >= atKill);
  const turns = inTime.filter(({ replica }, index, all) => replica !== all[index - 1]?.replica);
  assert.ok(turns.length <= 6, `the replicas took turns: ${turns.map(({ replica }) => replica)}`);
  await sink.close();
});

test.run();
