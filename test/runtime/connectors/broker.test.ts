import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Demand, Input, InputContext, Output } from "../../../runtime/component.ts";
import { brokerInput } from "../../../runtime/connectors/broker/input.ts";
import { brokerOutput } from "../../../runtime/connectors/broker/output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { Queue } from "../../harness/queue.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, componentContext, inputContext, textOfBatch } from "./contexts.ts";

const test = suite("broker");

/** An input that does what the test says. */
function givenInput(startFailure?: Error): Input & { context?: InputContext; closed: number } {
  return {
    closed: 0,
    async start(context) {
      if (startFailure !== undefined) throw startFailure;
      this.context = context;
    },
    async close() {
      this.closed += 1;
    },
  };
}

interface Write {
  readonly text: string;
  confirm(response?: ReturnType<typeof batchOf>): void;
  refuse(error: Error): void;
}

/** An output whose writes wait for the test's word. */
function givenOutput(more: Partial<Output> = {}): Output & { readonly writes: Queue<Write>; closed: number } {
  const writes = new Queue<Write>();
  return {
    writes,
    closed: 0,
    start: async () => undefined,
    write: (batch) =>
      new Promise((resolve, refuse) => {
        writes.push({
          text: textOfBatch(batch),
          confirm: (response) => resolve(response === undefined ? {} : { response }),
          refuse,
        });
      }),
    async close() {
      this.closed += 1;
    },
    ...more,
  };
}

function givenDemand(): Demand & { set(wanted: boolean): void } {
  let now = false;
  const listeners = new Set<() => void>();
  return {
    get wanted() {
      return now;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set(wanted) {
      now = wanted;
      for (const listener of listeners) listener();
    },
  };
}

test("input: messages of all inputs are delivered, each acknowledged by its own delivery", async () => {
  const [one, two] = [givenInput(), givenInput()];
  const input = brokerInput({ inputs: [one, two] });
  const context = inputContext();
  await input.start(context);
  const first = one.context?.deliver(batchOf("from one"));
  const second = two.context?.deliver(batchOf("from two"));
  const [fromOne, fromTwo] = await context.deliveries.take(2);
  assert.equal([fromOne?.text, fromTwo?.text], ["from one", "from two"]);
  fromTwo?.confirm();
  await second;
  fromOne?.refuse(new GatewayError(502, "no"));
  assert.instance(await first?.catch((error: unknown) => error), GatewayError);
  await input.close();
  assert.equal([one.closed, two.closed], [1, 1]);
});

test("input: held up from the first that is until none is any more", async () => {
  const [one, two] = [givenInput(), givenInput()];
  const context = inputContext();
  await brokerInput({ inputs: [one, two] }).start(context);
  one.context?.reportBlocked(true);
  two.context?.reportBlocked(true);
  one.context?.reportBlocked(false);
  assert.equal(context.blocked, [true]);
  two.context?.reportBlocked(false);
  assert.equal(context.blocked, [true, false]);
});

test("input: where one cannot start, the others are closed again", async () => {
  const failure = new GatewayError(502, "no broker");
  const [one, two] = [givenInput(), givenInput(failure)];
  const refused = await brokerInput({ inputs: [one, two] })
    .start(inputContext())
    .catch((error: unknown) => error);
  assert.is(refused, failure);
  assert.equal([one.closed, two.closed], [1, 1]);
});

test("output: every output gets the batch at once, and the write waits for all", async () => {
  const [one, two] = [givenOutput(), givenOutput()];
  const output = brokerOutput({ outputs: [one, two] });
  await output.start(componentContext());
  let done = false;
  const write = output.write(batchOf("a")).finally(() => {
    done = true;
  });
  const [first, second] = [await one.writes.next(), await two.writes.next()];
  assert.equal([first.text, second.text], ["a", "a"]);
  first.confirm();
  await new Promise(setImmediate);
  assert.not.ok(done);
  second.confirm(batchOf("reply"));
  assert.is(textOfBatch((await write).response ?? []), "reply");
  await output.close();
  assert.equal([one.closed, two.closed], [1, 1]);
});

test("output: only the output that failed gets the batch again", async () => {
  const [good, bad] = [givenOutput(), givenOutput()];
  const context = componentContext();
  const output = brokerOutput({ outputs: [good, bad] });
  await output.start(context);
  const write = output.write(batchOf("a"));
  (await good.writes.next()).confirm();
  (await bad.writes.next()).refuse(new GatewayError(502, "not now"));
  (await bad.writes.next()).refuse(new GatewayError(502, "still not"));
  (await bad.writes.next()).confirm();
  await write;
  assert.is(good.writes.all.length, 1);
  assert.equal(
    context.lines.map(({ message, fields }) => [message, fields.output]),
    [
      ["an output of the fan-out failed, trying again", 1],
      ["an output of the fan-out failed, trying again", 1],
    ],
  );
  await output.close();
});

test("output: what can never succeed is rejected once the others have ended", async () => {
  const [good, bad] = [givenOutput(), givenOutput()];
  const output = brokerOutput({ outputs: [good, bad] });
  await output.start(componentContext());
  let done = false;
  const write = output.write(batchOf("a")).catch((error: unknown) => {
    done = true;
    return error;
  });
  const failure = new GatewayError(422, "unusable", { retryable: false });
  (await bad.writes.next()).refuse(failure);
  await new Promise(setImmediate);
  assert.not.ok(done);
  (await good.writes.next()).confirm();
  assert.is(await write, failure);
  await output.close();
});

test("output: close ends the repeating", async () => {
  const bad = givenOutput();
  const output = brokerOutput({ outputs: [bad] });
  await output.start(componentContext());
  const write = output.write(batchOf("a")).catch((error: unknown) => error);
  (await bad.writes.next()).refuse(new GatewayError(502, "not now"));
  await until(async () => {
    await output.close();
    return true;
  });
  assert.instance(await write, GatewayError);
});

test("endpoints of all are served", () => {
  const endpoint = (path: string) => ({
    endpoints: [{ transport: "http" as const, verbs: ["GET"], path, handle: async () => undefined }],
  });
  const outputs = [givenOutput(endpoint("/a")), givenOutput(), givenOutput(endpoint("/b"))];
  assert.equal(
    brokerOutput({ outputs }).endpoints?.map(({ path }) => path),
    ["/a", "/b"],
  );
  const inputs = [
    { ...givenInput(), ...endpoint("/c") },
    { ...givenInput(), ...endpoint("/d") },
  ];
  assert.equal(
    brokerInput({ inputs }).endpoints?.map(({ path }) => path),
    ["/c", "/d"],
  );
});

test("demand is there when every output has one, and is wanted when all are", () => {
  const [one, two] = [givenDemand(), givenDemand()];
  const outputs = [givenOutput({ demand: one }), givenOutput({ demand: two })];
  assert.is(brokerOutput({ outputs: [...outputs, givenOutput()] }).demand, undefined);
  const { demand } = brokerOutput({ outputs });
  const seen: (boolean | undefined)[] = [];
  const stop = demand?.onChange(() => seen.push(demand.wanted));
  one.set(true);
  two.set(true);
  one.set(false);
  stop?.();
  two.set(false);
  assert.equal(seen, [false, true, false]);
});

test.run();
