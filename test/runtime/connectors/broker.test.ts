import { suite } from "uvu";
import * as assert from "uvu/assert";
import { brokerInput } from "../../../runtime/connectors/broker/input.ts";
import { brokerOutput } from "../../../runtime/connectors/broker/output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, componentContext, inputContext, someBlockage, textOfBatch } from "./contexts.ts";
import { givenDemand, givenInput, givenOutput } from "./given.ts";

const test = suite("broker");

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

test("input: blocked while at least one of its inputs is blocked", async () => {
  const [one, two] = [givenInput(), givenInput()];
  const context = inputContext();
  await brokerInput({ inputs: [one, two] }).start(context);
  const ends = [one, two].map(({ context: given }) => given?.beginBlockage(someBlockage("a")));
  ends[0]?.();
  assert.equal(context.blocked, [true]);
  ends[1]?.();
  assert.equal(context.blocked, [true, false]);
});

test("input: if one input fails to start, the others are closed", async () => {
  const failure = new GatewayError(502, "no broker");
  const [one, two] = [givenInput(), givenInput(failure)];
  const refused = await brokerInput({ inputs: [one, two] })
    .start(inputContext())
    .catch((error: unknown) => error);
  assert.is(refused, failure);
  assert.equal([one.closed, two.closed], [1, 1]);
});

test("output: every output gets the batch concurrently, and the write waits for all", async () => {
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
      ["an output of the fan-out failed, retrying", 1],
      ["an output of the fan-out failed, retrying", 1],
    ],
  );
  await output.close();
});

test("output: a non-retryable failure is returned once the other outputs have finished", async () => {
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

test("output: close ends the retries", async () => {
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

test("the endpoints of all outputs are served", () => {
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

test("a broker has demand if every output has one, and it is wanted when all are", () => {
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

const failing = new GatewayError(502, "not now");

test("output: fail_fast does not retry, and waits for the other outputs", async () => {
  const [good, bad] = [givenOutput(), givenOutput()];
  const output = brokerOutput({ outputs: [good, bad], pattern: "fan_out_fail_fast" });
  await output.start(componentContext());
  const write = output.write(batchOf("a")).catch((error: unknown) => error);
  (await bad.writes.next()).refuse(failing);
  (await good.writes.next()).confirm();
  assert.is(await write, failing);
  assert.is(bad.writes.all.length, 1);
});

test("output: sequential patterns write to the next output once the previous one has acknowledged", async () => {
  const [one, two] = [givenOutput(), givenOutput()];
  const output = brokerOutput({ outputs: [one, two], pattern: "fan_out_sequential" });
  await output.start(componentContext());
  const write = output.write(batchOf("a"));
  const first = await one.writes.next();
  first.refuse(failing);
  const again = await one.writes.next();
  assert.is(two.writes.all.length, 0);
  again.confirm(batchOf("r1"));
  (await two.writes.next()).confirm(batchOf("r2"));
  assert.is(textOfBatch((await write).response ?? []), "r1 r2");
  await output.close();
});

test("output: the sequential fail_fast pattern stops at the first failure", async () => {
  const [one, two] = [givenOutput(), givenOutput()];
  const output = brokerOutput({ outputs: [one, two], pattern: "fan_out_sequential_fail_fast" });
  await output.start(componentContext());
  const write = output.write(batchOf("a")).catch((error: unknown) => error);
  (await one.writes.next()).refuse(failing);
  assert.is(await write, failing);
  assert.equal([one.writes.all.length, two.writes.all.length], [1, 0]);
});

test("output: round_robin rotates over the outputs, and a failed batch goes to the next one", async () => {
  const outputs = [givenOutput(), givenOutput(), givenOutput()];
  const output = brokerOutput({ outputs, pattern: "round_robin" });
  await output.start(componentContext());
  const writes = ["a", "b", "c", "d"].map((text) => output.write(batchOf(text)));
  assert.equal(
    outputs.map(({ writes: { all } }) => all.map(({ text }) => text)),
    [["a", "d"], ["b"], ["c"]],
  );
  const [one, two, three] = outputs;
  for (const write of [...(one?.writes.all ?? []), ...(three?.writes.all ?? [])]) write.confirm();
  two?.writes.all[0]?.refuse(failing);
  const moved = await until(() => three?.writes.all[1], { what: "the batch at the next output" });
  assert.is(moved.text, "b");
  moved.confirm();
  await Promise.all(writes);
  const last = output.write(batchOf("e")).catch((error: unknown) => error);
  for (const each of [two, three, one]) {
    const write = await until(() => each?.writes.all.find(({ text }) => text === "e"));
    write.refuse(failing);
  }
  assert.is(await last, failing, "all failed: the input has it");
});

test("output: round_robin skips outputs without connected clients", async () => {
  const [away, present] = [givenDemand(), givenDemand()];
  const outputs = [givenOutput({ demand: away }), givenOutput({ demand: present })];
  const output = brokerOutput({ outputs, pattern: "round_robin" });
  assert.not.ok(output.demand?.wanted);
  present.set(true);
  assert.ok(output.demand?.wanted);
  await output.start(componentContext());
  const writes = ["a", "b"].map((text) => output.write(batchOf(text)));
  assert.is(outputs[0]?.writes.all.length, 0);
  for (const write of outputs[1]?.writes.all ?? []) write.confirm();
  await Promise.all(writes);
});

test("output: greedy sends no more to an output that is stuck", async () => {
  const [stuck, quick] = [givenOutput(), givenOutput()];
  const output = brokerOutput({ outputs: [stuck, quick], pattern: "greedy" });
  await output.start(componentContext());
  const writes = Array.from({ length: 300 }, (_, index) => output.write(batchOf(String(index))));
  await new Promise(setImmediate);
  assert.equal([stuck.writes.all.length, quick.writes.all.length], [64, 64], "no more than it can work on");
  for (let count = 0; count < 300 - 64; count += 1) {
    (await quick.writes.next()).confirm();
  }
  assert.is(stuck.writes.all.length, 64);
  for (const write of stuck.writes.all) write.confirm();
  await Promise.all(writes);
});

test("output: greedy selects the output that has been idle longest", async () => {
  const outputs = [givenOutput(), givenOutput(), givenOutput()];
  const output = brokerOutput({ outputs, pattern: "greedy" });
  await output.start(componentContext());
  const took: number[] = [];
  for (let index = 0; index < 6; index += 1) {
    const write = output.write(batchOf(String(index)));
    await new Promise(setImmediate);
    took.push(outputs.findIndex(({ writes }) => writes.all.at(-1)?.text === String(index)));
    outputs[took.at(-1) ?? 0]?.writes.all.at(-1)?.confirm();
    await write;
  }
  assert.equal(took, [0, 1, 2, 0, 1, 2]);
});

test("output: greedy returns failures to the input, and rejects waiting batches on release and close", async () => {
  const demand = givenDemand();
  const only = givenOutput({ demand });
  const output = brokerOutput({ outputs: [only], pattern: "greedy" });
  await output.start(componentContext());
  const waiting = output.write(batchOf("a")).catch((error: unknown) => error);
  output.demand?.release?.();
  assert.is(((await waiting) as GatewayError).status, 503);
  demand.set(true);
  const failed = output.write(batchOf("b")).catch((error: unknown) => error);
  (await only.writes.next()).refuse(failing);
  assert.is(await failed, failing);
  demand.set(false);
  const late = output.write(batchOf("c")).catch((error: unknown) => error);
  await output.close();
  assert.is(((await late) as GatewayError).status, 503);
});

test("output: a combined batch is written once, and every part is acknowledged", async () => {
  const only = givenOutput();
  const output = brokerOutput({ outputs: [only], batching: { count: 2 } });
  await output.start(componentContext());
  let isDone = false;
  const first = output.write(batchOf("a")).then(() => {
    isDone = true;
  });
  const second = output.write(batchOf("b"));
  const write = await only.writes.next();
  assert.is(write.text, "a b");
  await new Promise(setImmediate);
  assert.not.ok(isDone);
  write.confirm();
  await Promise.all([first, second]);
});

test("input: batching combines messages of all inputs; closing flushes an incomplete batch", async () => {
  const [one, two] = [givenInput(), givenInput()];
  const input = brokerInput({ inputs: [one, two], batching: { count: 2 } });
  const context = inputContext();
  await input.start(context);
  const pending = [one.context?.deliver(batchOf("a")), two.context?.deliver(batchOf("b"))];
  const delivery = await context.deliveries.next();
  assert.is(delivery.text, "a b");
  delivery.confirm();
  await Promise.all(pending);
  const last = one.context?.deliver(batchOf("c"));
  const closing = input.close();
  const rest = await context.deliveries.next();
  assert.is(rest.text, "c");
  rest.confirm();
  await last;
  await closing;
});

test("input: it ends when all inputs have ended", async () => {
  const [one, two] = [givenInput(), givenInput()];
  let ends = 0;
  await brokerInput({ inputs: [one, two] }).start({ ...inputContext(), reportEnd: () => (ends += 1) });
  one.context?.reportEnd?.();
  assert.is(ends, 0);
  two.context?.reportEnd?.();
  assert.is(ends, 1);
});

test.run();
