// Gateways that follow a folder of deployments, for the suites that run them in one process and in several.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { answering, answerOf, apiOf, sharing } from "../harness/api-documents.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import type { Program } from "../harness/processes.ts";
import { startSluice, warmSluice } from "../harness/sluice.ts";
import { sse } from "../harness/sse-client.ts";
import { until } from "../harness/wait.ts";

/** The environment of a gateway in one process. */
export const listening = { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0" };

/** Returns an API with one stream that responds with `answer`. */
export const api = (id: string, answer: string): string => apiOf(answering(answer), { id });

/** Creates a folder with a set of documents, and a function that builds it. */
export function deployedSet() {
  const cwd = temporaryDirectory("set");
  const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);
  const build = (env: Readonly<Record<string, string>> = {}) =>
    warmSluice(["build", "gateway.yaml", "--artifact", "deployed"], { cwd, env });
  const deploy = async (env: Readonly<Record<string, string>> = {}) => {
    const built = await build(env);
    assert.is(built.status, 0, built.stderr);
  };
  write("gateway.yaml", "streaming: { enabled: true }\napis: [orders.yaml, chat.yaml]\n");
  write("orders.yaml", api("orders", "one"));
  write("chat.yaml", api("chat", "hello"));
  const manifest = () => readFileSync(join(cwd, "deployed/manifest.json"), "utf8");
  return { cwd, write, build, deploy, manifest, folder: join(cwd, "deployed") };
}

export async function stop(program: Program): Promise<void> {
  assert.is(await program.stop(), 0, program.output());
}

/** Resolves with the address on which the gateway listens, according to the latest line of its log. */
export async function lastAddress(program: Program): Promise<{ url: string }> {
  const line = program
    .output()
    .split("\n")
    .findLast((each) => each.includes('"msg":"listening"'));
  return { url: JSON.parse(line ?? "{}").gateway };
}

/** Tests that apply to a gateway with any number of processes. */
export function followsDeployments(size: string, env: Readonly<Record<string, string>>): void {
  test(`${size}: a gateway that follows a folder serves each new deployment in it`, async () => {
    const { cwd, write, deploy } = deployedSet();
    await deploy();
    const program = startSluice(["gateway", "--from", "deployed"], { cwd, env });
    await program.matching(/"deployment":1,.*"applied":2,"unchanged":0,.*"msg":"deployment served"/);
    const { url } = await lastAddress(program);
    assert.is(await answerOf(url, "orders"), "one");
    assert.is(await answerOf(url, "chat"), "hello");
    write("orders.yaml", api("orders", "two"));
    await deploy();
    await program.matching(/"deployment":2,.*"applied":1,"unchanged":1,.*"msg":"deployment served"/);
    const { url: now } = await lastAddress(program);
    assert.is(await answerOf(now, "orders"), "two");
    assert.is(await answerOf(now, "chat"), "hello");
    await stop(program);
  });

  test(`${size}: a deployment interrupts no connections of unchanged streams, and no requests in flight`, async () => {
    const { cwd, write, deploy } = deployedSet();
    const chat = (answer: string) => apiOf(answering(answer) + sharing, { id: "chat" });
    write("chat.yaml", chat("hello"));
    await deploy();
    const program = startSluice(["gateway", "--from", "deployed"], { cwd, env });
    await program.matching(/"msg":"deployment served"/);
    const { url } = await lastAddress(program);
    const client = await sse(`${url}/chat/events`);
    const answers: string[] = [];
    let asking = true;
    const asked = (async () => {
      while (asking) answers.push(await answerOf(url, "orders"));
    })();
    for (const answer of ["two", "three", "four"]) {
      write("orders.yaml", api("orders", answer));
      write("chat.yaml", chat(answer));
      await deploy();
      await until(() => answers.at(-1) === answer);
      assert.is(await answerOf(url, "chat"), answer);
    }
    asking = false;
    await asked;
    assert.equal(
      [...new Set(answers)],
      ["one", "two", "three", "four"],
      "each was answered, by one version or the next",
    );
    const reported = fetch(`${url}/chat/tell`, { method: "POST", body: "still there" });
    assert.is((await client.next()).data, "still there");
    assert.is((await reported).status, 200);
    client.close();
    await stop(program);
  });

  test(`${size}: an API with a missing variable is rolled back alone, at start and later`, async () => {
    const { cwd, write, deploy } = deployedSet();
    const lacking = api("orders", "one").replace("path: /say", 'path: "${NOT_THERE}"');
    write("orders.yaml", lacking);
    await deploy();
    const program = startSluice(["gateway", "--from", "deployed"], { cwd, env });
    await program.matching(
      /"api":"orders","reason":"[^"]*NOT_THERE \([^)]*\) is not set.*"msg":"api rolled back"/,
    );
    await program.matching(/"applied":1,.*"rolledBack":1,.*"msg":"deployment served"/);
    const { url } = await lastAddress(program);
    assert.is(await answerOf(url, "chat"), "hello");
    assert.is(await answerOf(url, "orders"), "404");
    write("orders.yaml", api("orders", "two"));
    await deploy();
    await until(async () => (await answerOf(url, "orders")) === "two");
    write("orders.yaml", lacking);
    await deploy();
    await program.matching(/"deployment":3,.*"rolledBack":1,.*"msg":"deployment served"/);
    assert.is(await answerOf(url, "orders"), "two");
    await stop(program);
  });
}
