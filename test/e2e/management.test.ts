import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { answering, answerOf, apiOf } from "../harness/api-documents.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import type { Program } from "../harness/processes.ts";
import { startSluice } from "../harness/sluice.ts";
import { until } from "../harness/wait.ts";

const key = "key-of-this-test";
const management = {
  GW_MANAGEMENT_API_KEYS: key,
  GW_MANAGEMENT_LISTEN: "127.0.0.1:0",
  GW_MANAGEMENT_STREAMING_ENABLED: "true",
};
const gateway = { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0" };

const api = (id: string, answer: string) => apiOf(answering(answer), { id });

async function manage(address: string, method: string, path: string, text?: string): Promise<Response> {
  return fetch(`${address}/api${path}`, {
    method,
    headers: { authorization: key, "content-type": "application/yaml" },
    ...(text !== undefined && { body: text }),
  });
}

async function addressOf(program: Program, name: "gateway" | "management"): Promise<string> {
  const [, address = ""] = await program.matching(new RegExp(`"${name}":"(http[^"]+)"`));
  return address;
}

test("a posted definition is served within seconds, and one that does not compile does not replace it", async () => {
  const cwd = temporaryDirectory("management");
  const program = startSluice(["serve", "--all-in-one"], { cwd, env: { ...management, ...gateway } });
  const [service, served] = [await addressOf(program, "management"), await addressOf(program, "gateway")];
  assert.is((await manage(service, "POST", "/apis/streams", api("orders", "one"))).status, 200);
  await until(async () => (await answerOf(served, "orders")) === "one");
  assert.is((await manage(service, "PUT", "/apis/streams/orders", api("orders", "two"))).status, 200);
  await until(async () => (await answerOf(served, "orders")) === "two");
  const wrong = api("orders", "three").replace("sync_response", "sink_response");
  assert.is((await manage(service, "PUT", "/apis/streams/orders", wrong)).status, 400);
  assert.is(await answerOf(served, "orders"), "two");

  const stream = async () => {
    const { Data } = (await (await manage(service, "GET", "/streams")).json()) as {
      Data: { state: string }[];
    };
    return Data[0]?.state;
  };
  await until(async () => (await stream()) === "running");
  await manage(service, "POST", "/streams/orders/talk/stop");
  await until(
    async () => (await answerOf(served, "orders")) === "404" || (await answerOf(served, "orders")) === "503",
  );
  await until(async () => (await stream()) === "stopped");
  await manage(service, "POST", "/streams/orders/talk/start");
  await until(async () => (await answerOf(served, "orders")) === "two");
  await manage(service, "DELETE", "/apis/streams/orders");
  await until(async () => (await answerOf(served, "orders")) === "404");
  assert.is(await program.stop(), 0, program.output());
});

test("gateways follow a management service, and keep serving while it is unavailable", async () => {
  const cwd = temporaryDirectory("management");
  const first = startSluice(["serve"], { cwd, env: management });
  const service = await addressOf(first, "management");
  await manage(service, "POST", "/apis/streams", api("orders", "one"));
  const env = {
    ...gateway,
    GW_MANAGEMENT_TOKEN: key,
    GW_CACHE_DIR: join(cwd, "cache"),
    GW_GATEWAY_ID: "one",
  };
  const program = startSluice(["gateway", "--from", service], { cwd, env });
  const served = await addressOf(program, "gateway");
  await until(async () => (await answerOf(served, "orders")) === "one");
  await until(async () => {
    const { Data } = (await (await manage(service, "GET", "/deployments")).json()) as {
      Data: { gateways: { gateway: string }[] }[];
    };
    return Data[0]?.gateways[0]?.gateway === "one";
  });
  assert.is(await first.stop("SIGKILL"), "SIGKILL");
  assert.is(await answerOf(served, "orders"), "one");
  const listen = { GW_MANAGEMENT_LISTEN: new URL(service).host };
  const second = startSluice(["serve"], { cwd, env: { ...management, ...listen } });
  await addressOf(second, "management");
  await manage(service, "PUT", "/apis/streams/orders", api("orders", "two"));
  await until(async () => (await answerOf(served, "orders")) === "two");
  assert.is(await program.stop(), 0, program.output());
  assert.is(await second.stop(), 0, second.output());
});

test.run();
