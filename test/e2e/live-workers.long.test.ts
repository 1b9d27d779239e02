import { test } from "uvu";
import * as assert from "uvu/assert";
import { answering, answerOf, apiOf } from "../harness/api-documents.ts";
import { startSluice } from "../harness/sluice.ts";
import { until } from "../harness/wait.ts";
import { api, deployedSet, followsDeployments, lastAddress, listening, stop } from "./live-deployments.ts";

const env = { ...listening, GW_WORKERS: "3" };

followsDeployments("three workers", env);

test("three workers: a killed one restarts with the current deployment", async () => {
  const { cwd, write, deploy } = deployedSet();
  await deploy();
  const program = startSluice(["gateway", "--from", "deployed"], { cwd, env });
  await program.matching(/"msg":"deployment served"/);
  const { url } = await lastAddress(program);
  const started = () =>
    [...program.output().matchAll(/"worker":(\d+),"process":(\d+),"msg":"worker started"/g)].map(
      ([, worker, id]) => ({ worker, id: Number(id) }),
    );
  for (const [index, answer] of ["two", "three", "four"].entries()) {
    write("orders.yaml", api("orders", answer));
    const isMeant = ({ worker }: { worker: string | undefined }) => worker === String(index);
    const victim = await until(() => started().findLast(isMeant), { what: `worker ${index} in the log` });
    const deployed = deploy();
    process.kill(victim.id, "SIGKILL");
    await deployed;
    await program.matching(new RegExp(`"deployment":${index + 2},.*"msg":"deployment served"`));
    await until(() => started().length === 4 + index);
    await until(async () => {
      const asked = Array.from({ length: 6 }, () => answerOf(url, "orders", { connection: "close" }));
      return (await Promise.all(asked)).every((each) => each === answer);
    });
  }
  await stop(program);
});

test("three workers: a deployment that one of them cannot start is rolled back on all", async () => {
  const { cwd, write, deploy } = deployedSet();
  await deploy();
  const program = startSluice(["gateway", "--from", "deployed"], { cwd, env });
  await program.matching(/"msg":"deployment served"/);
  const { url } = await lastAddress(program);
  // Only the first worker runs this stream, which cannot reach its broker.
  const background = `feed:
  input: { generate: { interval: 1s, mapping: 'root = "x"' } }
  output: { nats: { urls: ["nats://127.0.0.1:1"], subject: a } }
`;
  write("orders.yaml", apiOf(answering("two") + background, { id: "orders" }));
  write("chat.yaml", api("chat", "changed"));
  await deploy();
  await program.matching(/"deployment":2,.*"applied":1,.*"rolledBack":1,.*"msg":"deployment served"/);
  for (let index = 0; index < 6; index += 1) {
    assert.is(await answerOf(url, "orders", { connection: "close" }), "one");
    assert.is(await answerOf(url, "chat", { connection: "close" }), "changed");
  }
  write("orders.yaml", api("orders", "three"));
  await deploy();
  await program.matching(/"deployment":3,.*"rolledBack":0,.*"msg":"deployment served"/);
  for (let index = 0; index < 6; index += 1)
    assert.is(await answerOf(url, "orders", { connection: "close" }), "three");
  await stop(program);
});

test.run();
