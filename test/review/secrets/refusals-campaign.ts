// Checks that a refused connection does not expose a secret in the log or to operators.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildBundle, startBundle } from "../../e2e/gateway.ts";
import { startMosquitto } from "../../harness/brokers/mosquitto.ts";
import { startNats } from "../../harness/brokers/nats.ts";
import { startRedis } from "../../harness/brokers/redis.ts";
import { kafka, rabbitmq } from "../../harness/brokers.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { httpServer } from "../../harness/http-server.ts";
import { freePort } from "../../harness/ports.ts";
import { until } from "../../harness/wait.ts";
import type { Campaign, RoundResult } from "../campaign.ts";
import { findSecret, type Refusing, refusedSet } from "./refusals.ts";

/** Gateways whose connections are all refused, by real servers and by one that repeats what it receives. */
export const refusals: Campaign = {
  claim: "no connection that is refused brings a secret to the log or to operators",
  async prepare() {
    const passwords = join(temporaryDirectory("passwords"), "passwords");
    writeFileSync(passwords, "");
    const nats = await startNats({ config: 'authorization { user: alice, password: "open-sesame" }' });
    const mqtt = await startMosquitto({ configuration: [`password_file ${passwords}`] });
    const redis = await startRedis({ configuration: ["--requirepass", "open-sesame"] });
    const [rabbit, broker] = [await rabbitmq(), await kafka()];
    const http = await httpServer(({ path, body, headers }) => ({
      status: 401,
      headers: { "www-authenticate": `Basic realm="${headers.authorization ?? ""}"`, location: path },
      body: JSON.stringify({ error: path, error_description: body, headers }),
    }));
    const hostOf = (address: string) => new URL(address).host;
    const servers: Refusing = {
      nats: hostOf(nats.address),
      mqtt: hostOf(mqtt.address),
      redis: hostOf(redis.address),
      rabbitmq: hostOf(rabbit.address),
      kafka: broker.address,
      http: hostOf(http.url),
      nobody: `127.0.0.1:${await freePort()}`,
    };
    return {
      round: (seed) => round(servers, seed),
      async close() {
        await http.close();
        for (const each of [nats, mqtt, redis, rabbit, broker]) await each.stop();
      },
    };
  },
};

async function round(servers: Refusing, seed: number): Promise<RoundResult> {
  const { api, settings, env } = refusedSet(servers, seed);
  const folder = temporaryDirectory("refused");
  writeFileSync(join(folder, "api.yaml"), api);
  writeFileSync(join(folder, "gateway.yaml"), settings);
  const gateway = await startBundle(await buildBundle([join(folder, "gateway.yaml")]), {
    ...env,
    GW_LOG_LEVEL: "debug",
  });
  const ask = async (path: string) => (await fetch(`${gateway.adminUrl}${path}`)).text();
  const streams = await until(
    async () => {
      const { streams: now } = JSON.parse(await ask("/streams")) as {
        streams: readonly { lastError?: object }[];
      };
      return now.every(({ lastError }) => lastError !== undefined) && now;
    },
    { what: "every stream to have failed" },
  );
  const proxied = await fetch(`${gateway.url}/refused/x`);
  const shown: Record<string, string> = { answer: `${proxied.status} ${await proxied.text()}` };
  for (const path of ["/", "/streams", "/readyz", "/routes", "/metrics"]) shown[path] = await ask(path);
  await gateway.program.stop();
  shown.log = gateway.program.output();
  const findings = Object.entries(shown).flatMap(([what, text]) => {
    const found = findSecret(text);
    return found === undefined ? [] : [`${what}: ${found}`];
  });
  return { attempts: streams.length, findings };
}
