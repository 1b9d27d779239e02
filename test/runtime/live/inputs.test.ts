import { request } from "node:http";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Delivered } from "../../../runtime/component/component.ts";
import { generateInput } from "../../../runtime/connectors/generate/generate.ts";
import { httpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { inprocInput } from "../../../runtime/connectors/inproc/input.ts";
import { inprocOutput } from "../../../runtime/connectors/inproc/output.ts";
import { websocketServerInput } from "../../../runtime/connectors/websocket-server/input.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { Message } from "../../../runtime/message/message.ts";
import { until } from "../../harness/wait.ts";
import { socket } from "../../harness/websocket-client.ts";
import { type ManualInput, manualInput, memoryOutput } from "../gateway/components.ts";
import { deployed, liveGateway, mark, stateOf } from "./deployment.ts";

const post = (url: string, body: string) => fetch(`${url}/orders/new`, { method: "POST", body });

test("replacing an HTTP input fails no requests; a request in flight completes in the new version", async () => {
  const output = memoryOutput();
  const version = (number: number) => ({
    make: () => ({
      input: httpServerInput({ path: "/new", timeout: 60_000 + number }),
      output,
      pipeline: [mark(number)],
    }),
    digests: { input: `${number}`, pipeline: `${number}` },
  });
  const { gateway, live } = await liveGateway([deployed({ s: version(0) })]);
  // The head of this request is read under the first version, its body arrives under the last.
  const slow = request(`${gateway.url}/orders/new`, { method: "POST", headers: { "content-length": "4" } });
  const answered = new Promise<number | undefined>((resolve) => {
    slow.once("response", (response) => resolve(response.resume().statusCode));
  });
  slow.write("sl");
  const statuses = new Map<number, number>();
  let isOver = false;
  const load = Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let sent = 0; !isOver; sent += 1) {
        const { status } = await post(gateway.url, `${sent}`);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    }),
  );
  for (const number of [1, 2, 3, 4, 5]) {
    const before = output.batches.length;
    assert.equal(await live.apply([deployed({ s: version(number) })]), [
      { api: "orders", outcome: "applied" },
    ]);
    await until(() => output.batches.length > before + 20);
  }
  slow.end("ow");
  assert.is(await answered, 200);
  isOver = true;
  await load;
  assert.equal([...statuses.keys()], [200]);
  assert.ok(output.texts.includes("slow-5"));
  await gateway.close();
});

test("producer sockets are asked to reconnect, and reach the new input", async () => {
  const output = memoryOutput();
  const version = (number: number) => ({
    make: () => ({
      input: websocketServerInput({ path: "/in", welcome_message: `${number}` }),
      output,
      pipeline: [mark(number)],
    }),
    digests: { input: `${number}`, pipeline: `${number}` },
  });
  const { gateway, live } = await liveGateway([deployed({ s: version(1) })]);
  const first = await socket(`${gateway.url}/orders/in`);
  await first.send("a");
  await until(() => output.texts.includes("a-1"));
  await live.apply([deployed({ s: version(2) })]);
  assert.is((await first.ended).code, 1012);
  const second = await socket(`${gateway.url}/orders/in`);
  assert.is(await second.next(), "2");
  await second.send("b");
  await until(() => output.texts.includes("b-2"));
  const { ended } = second;
  await gateway.close();
  assert.is((await ended).code, 1001);
});

test("an input without routes delivers what it has read and closes before the next one starts", async () => {
  const events: string[] = [];
  const watched = (name: string): ManualInput => {
    const input = manualInput(() => void events.push(`${name} starts`));
    const close = () => input.close().then(() => void events.push(`${name} is closed`));
    return Object.assign(Object.create(input) as ManualInput, {
      close,
      start: input.start,
      deliver: input.deliver,
    });
  };
  const confirm = Promise.withResolvers<Delivered>();
  const output = memoryOutput(() => confirm.promise);
  const [first, second] = [watched("first"), watched("second")];
  const { gateway, live } = await liveGateway([deployed({ s: () => ({ input: first, output }) })]);
  const delivery = first.deliver("a").then(() => events.push("delivered"));
  await until(() => output.batches.length === 1);
  const applying = live.apply([
    deployed({ s: { make: () => ({ input: second, output: memoryOutput() }), digests: { input: "2" } } }),
  ]);
  await until(() => stateOf(gateway)?.messages.inFlight === 1);
  assert.equal(events, ["first starts"]);
  confirm.resolve({});
  await Promise.all([applying, delivery]);
  assert.equal(events.slice(0, 4), ["first starts", "delivered", "first is closed", "second starts"]);
  assert.is(stateOf(gateway)?.messages.delivered, 1, "the output was not made anew");
  await gateway.close();
});

test("if the next input does not start, one of the previous version reads again, into the previous pipeline", async () => {
  const output = memoryOutput();
  const made: ManualInput[] = [];
  const { gateway, live } = await liveGateway([
    deployed({
      s: () => {
        made.push(manualInput());
        return { input: made.at(-1) ?? manualInput(), output, pipeline: [mark(1)] };
      },
    }),
  ]);
  const away = manualInput(() => {
    throw new GatewayError(503, "Broker is away");
  });
  const outcome = await live.apply([
    deployed({
      s: {
        make: () => ({ input: away, output: memoryOutput(), pipeline: [mark(2)] }),
        digests: { input: "2", pipeline: "2" },
      },
    }),
  ]);
  assert.equal(outcome, [{ api: "orders", outcome: "rolled back", reason: "Broker is away" }]);
  await until(() => made.some(({ context }) => context !== undefined));
  await made.find(({ context }) => context !== undefined)?.deliver("a");
  assert.equal(output.texts, ["a-1"]);
  assert.is(stateOf(gateway)?.status, "running");
  assert.ok(away.closes > 0);
  await gateway.close();
});

test("an input that hangs at start does not block a deployment forever", async () => {
  const output = memoryOutput();
  const made: ManualInput[] = [];
  const { gateway, live } = await liveGateway(
    [
      deployed({
        s: () => {
          made.push(manualInput());
          return { input: made.at(-1) ?? manualInput(), output };
        },
      }),
    ],
    { startTimeout: 20 },
  );
  const hanging = manualInput(() => new Promise(() => undefined));
  const [outcome] = await live.apply([
    deployed({ s: { make: () => ({ input: hanging, output: memoryOutput() }), digests: { input: "2" } } }),
  ]);
  assert.is(outcome?.reason, "Its input did not start within 0.02 s");
  await until(() => made.filter(({ starts }) => starts > 0).length === 2);
  await made.find(({ context }) => context !== undefined)?.deliver("a");
  assert.equal(output.texts, ["a"]);
  await gateway.close();
});

test("a deployment repairs a stream whose broker is unavailable", async () => {
  const away = manualInput(() => {
    throw new GatewayError(503, "Broker is away");
  });
  const output = memoryOutput();
  const { gateway, live } = await liveGateway([deployed({ s: () => ({ input: away, output }) })], {
    backoff: { first: 3_600_000, longest: 3_600_000 },
  });
  await until(() => stateOf(gateway)?.status === "failed");
  const input = manualInput();
  const outcome = await live.apply([
    deployed({ s: { make: () => ({ input, output: memoryOutput() }), digests: { input: "2" } } }),
  ]);
  assert.equal(outcome, [{ api: "orders", outcome: "applied" }]);
  await input.deliver("a");
  assert.equal(output.texts, ["a"]);
  assert.is(stateOf(gateway)?.status, "running");
  assert.is(stateOf(gateway)?.lastError?.reason, "Broker is away");
  await gateway.close();
});

test("a deployment repairs a stream whose output is unavailable", async () => {
  const input = manualInput();
  const away = {
    ...memoryOutput(),
    async start() {
      throw new GatewayError(503, "Broker is away");
    },
  };
  const { gateway, live } = await liveGateway([deployed({ s: () => ({ input, output: away }) })], {
    backoff: { first: 3_600_000, longest: 3_600_000 },
  });
  await until(() => stateOf(gateway)?.status === "failed");
  const output = memoryOutput();
  await live.apply([deployed({ s: { make: () => ({ input, output }), digests: { output: "2" } } })]);
  await input.deliver("a");
  assert.equal(output.texts, ["a"]);
  await gateway.close();
});

test("a finished stream starts again with a changed input", async () => {
  const output = memoryOutput();
  const version = (number: number) => ({
    make: () => ({
      input: generateInput({
        mapping: () => Message.fromText(`${number}`),
        interval: "1ms",
        count: 1,
      }),
      output,
    }),
    digests: { input: `${number}` },
  });
  const { gateway, live } = await liveGateway([deployed({ s: version(1) })]);
  await until(() => stateOf(gateway)?.status === "finished");
  await live.apply([deployed({ s: version(2) })]);
  await until(() => output.texts.length === 2);
  await until(() => stateOf(gateway)?.status === "finished");
  assert.equal(output.texts, ["1", "2"]);
  await gateway.close();
});

test("streams that feed each other keep running when either changes", async () => {
  const input = manualInput();
  const output = memoryOutput();
  const streams = (number: number) => ({
    writer: {
      make: () => ({ input, output: inprocOutput("between"), pipeline: [mark(`w${number}`)] }),
      digests: { pipeline: `${number}`, output: `${number}` },
    },
    reader: {
      make: () => ({ input: inprocInput("between"), output, pipeline: [mark(`r${number}`)] }),
      digests: { pipeline: `${number}`, input: `${number}` },
    },
  });
  const { gateway, live } = await liveGateway([deployed(streams(1))]);
  await input.deliver("a");
  await live.apply([deployed(streams(2))]);
  await input.deliver("b");
  assert.equal(output.texts, ["a-w1-r1", "b-w2-r2"]);
  await gateway.close();
});

test.run();
