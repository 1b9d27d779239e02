import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { StreamParts } from "../../../runtime/component/component.ts";
import { generateInput } from "../../../runtime/connectors/generate/generate.ts";
import { inprocInput } from "../../../runtime/connectors/inproc/input.ts";
import { inprocOutput } from "../../../runtime/connectors/inproc/output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { Message } from "../../../runtime/message/message.ts";
import { createLogger } from "../../../runtime/process/log.ts";
import { createStreamManager, type StreamManager } from "../../../runtime/stream/stream-manager.ts";
import { until } from "../../harness/wait.ts";
import { manualInput, memoryOutput, textOf } from "./components.ts";

const test = suite("streams that feed each other");

/** Starts the streams of one gateway. */
async function running(streams: Readonly<Record<string, StreamParts>>): Promise<StreamManager> {
  const manager = createStreamManager({
    log: createLogger("silent"),
    demandGrace: 5,
    backoff: { first: 5, longest: 10 },
    stopTimeout: 1_000,
    instances: { most: 1, idle: 0 },
  });
  for (const [stream, parts] of Object.entries(streams))
    await manager.run({ api: "a", stream, create: () => parts });
  return manager;
}

function statusOf(manager: StreamManager, stream: string): string | undefined {
  return manager.states().find((state) => state.stream === stream)?.status;
}

test("a message is acknowledged when the reading stream has delivered it, with its reply", async () => {
  const input = manualInput();
  let confirm = (): void => undefined;
  const output = memoryOutput(
    (batch) =>
      new Promise((resolve) => {
        confirm = () => resolve({ response: batch });
      }),
  );
  const manager = await running({
    writer: { input, output: inprocOutput("orders") },
    reader: { input: inprocInput("orders"), output },
  });
  let isDone = false;
  const delivery = input.deliver("a", "b").then((delivered) => {
    isDone = true;
    return delivered;
  });
  await until(() => output.texts.length === 2);
  assert.not.ok(isDone);
  confirm();
  assert.equal((await delivery).response?.map(textOf), ["a", "b"]);
  await manager.close(1_000);
});

test("a failure in the reading stream is a failure in the writing one", async () => {
  const input = manualInput();
  const failure = new GatewayError(422, "no");
  const manager = await running({
    reader: { input: inprocInput("orders"), output: memoryOutput(() => Promise.reject(failure)) },
    writer: { input, output: inprocOutput("orders") },
  });
  assert.is(await input.deliver("a").catch((error: unknown) => error), failure);
  await manager.close(1_000);
});

test("without readers, the input of the writer is not started; channels are separated by name", async () => {
  const [input, output] = [manualInput(), memoryOutput()];
  const manager = await running({
    other: { input: inprocInput("others"), output: memoryOutput() },
    writer: { input, output: inprocOutput("orders") },
  });
  await until(() => statusOf(manager, "writer") === "waiting");
  assert.is(input.starts, 0);
  const reader = { input: inprocInput("orders"), output };
  await manager.run({ api: "a", stream: "reader", create: () => reader });
  await input.deliver("a");
  assert.equal(output.texts, ["a"]);
  await manager.stop("a", "reader");
  await until(() => statusOf(manager, "writer") === "waiting");
  assert.is(input.closes, 1);
  await manager.close(1_000);
});

test("gateways in one process have separate channels", async () => {
  const input = manualInput();
  const one = await running({ writer: { input, output: inprocOutput("orders") } });
  const output = memoryOutput();
  const two = await running({ reader: { input: inprocInput("orders"), output } });
  await until(() => statusOf(one, "writer") === "waiting");
  assert.is(output.texts.length, 0);
  await Promise.all([one.close(1_000), two.close(1_000)]);
});

test("a stream whose input has ended is finished, and counts as ready", async () => {
  let number = 0;
  const mapping = () => Message.fromText(String(++number));
  const output = memoryOutput();
  const input = generateInput({ mapping, interval: "0s", count: 3 });
  const manager = await running({ once: { input, output } });
  await until(() => statusOf(manager, "once") === "finished");
  assert.equal(output.texts, ["1", "2", "3"]);
  assert.equal(manager.unready(), []);
  await new Promise(setImmediate);
  assert.is(output.closes, 0, "clients may still be there");
  await manager.close(1_000);
  assert.is(output.closes, 1);
  assert.is(statusOf(manager, "once"), "stopped");
});

test.run();
