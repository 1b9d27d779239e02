import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { ComponentContext, Output } from "../../../runtime/component/component.ts";
import { findHeld, writeThroughGate } from "../../../runtime/component/gate.ts";
import { CountedWrite } from "../../../runtime/component/outcomes.ts";
import { failedMessage, unfitMessage } from "../../../runtime/component/unfit-messages.ts";
import { brokerOutput } from "../../../runtime/connectors/broker/output.ts";
import { dropOutput } from "../../../runtime/connectors/drop/output.ts";
import { dropOnOutput } from "../../../runtime/connectors/drop-on/drop-on.ts";
import { dropOnPatternsOutput } from "../../../runtime/connectors/drop-on/patterns-output.ts";
import { fallbackOutput } from "../../../runtime/connectors/fallback/output.ts";
import { rejectOutput } from "../../../runtime/connectors/reject/output.ts";
import { rejectErroredOutput } from "../../../runtime/connectors/reject-errored/output.ts";
import { retryOutput } from "../../../runtime/connectors/retry/output.ts";
import { type OutputCase, switchOutput } from "../../../runtime/connectors/switch/output.ts";
import { syncResponseOutput } from "../../../runtime/connectors/sync-response/output.ts";
import { GatewayError, MappingError } from "../../../runtime/errors.ts";
import { unfit } from "../../../runtime/grammar/computed-text.ts";
import { prepareAll } from "../../../runtime/grammar/unfit-messages.ts";
import { type Batch, Message } from "../../../runtime/message/message.ts";
import { outputWithProcessors } from "../../../runtime/processors/around/with-processors.ts";
import type { QueryFunction } from "../../../runtime/processors/functions.ts";
import { each, type MemoryOutput, memoryOutput, textOf } from "../gateway/components.ts";
import { batchOf, componentContext } from "./contexts.ts";
import { givenDemand, givenOutput } from "./given.ts";

const test = suite("composite outputs");

const broken = new GatewayError(502, "broker away");
const failed = new MappingError("cannot read it");

/** Returns an output that refuses every batch. */
function failingOutput(error: Error = broken): MemoryOutput {
  return memoryOutput(() => Promise.reject(error));
}

/** Returns an output whose protocol cannot carry texts that begin with `unfit`, and whose server refuses `refused`. */
function refusingOutput(): MemoryOutput {
  return memoryOutput(async (batch) => {
    prepareAll(batch, (message) => {
      if (textOf(message).startsWith("unfit")) throw unfit(`${textOf(message)} cannot be written`);
    });
    const write = new CountedWrite(batch.length);
    for (const message of batch) {
      const text = `${textOf(message)} is not allowed`;
      if (!textOf(message).startsWith("refused")) write.confirm();
      else write.refuse(unfitMessage(message, new GatewayError(502, text, { retryable: false })));
    }
    return write.settled;
  });
}

async function started<T extends Output>(
  output: T,
  context: ComponentContext = componentContext(),
): Promise<T> {
  await output.start(context);
  return output;
}

/** Returns a batch of text messages. Those that begin with `!` are marked as failed. */
function flagging(...texts: readonly string[]): Batch {
  return batchOf(...texts).map((message) =>
    textOf(message).startsWith("!") ? message.withFailure(failed) : message,
  );
}

async function refusal(write: Promise<unknown>): Promise<GatewayError> {
  const outcome = await write.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.instance(outcome, GatewayError, "it was refused");
  return outcome as GatewayError;
}

function reasonsAt(output: MemoryOutput): unknown[] {
  return output.batches.flat().map(({ metadata }) => metadata.get("fallback_error"));
}

const startsWith =
  (prefix: string): QueryFunction =>
  (batch, index) =>
    textOf(batch[index] as Message).startsWith(prefix); // the index is inside the batch
const isFlagged: QueryFunction = (batch, index) => batch[index]?.failure !== undefined;

test("fallback: messages that the first output fails on go to the next one, with the reason", async () => {
  const [first, second, third] = [failingOutput(), memoryOutput(), memoryOutput()];
  const output = await started(fallbackOutput([first, second, third]));
  await output.write(batchOf("a", "b"));
  assert.equal(second.texts, ["a", "b"]);
  assert.equal(reasonsAt(second), ["broker away", "broker away"]);
  assert.is(third.batches.length, 0);
});

test("fallback: each message that the first output never accepts goes on alone, with its own reason", async () => {
  const [first, second] = [refusingOutput(), memoryOutput()];
  const output = await started(fallbackOutput([first, second]));
  await output.write(batchOf("refused1", "a", "unfit1", "refused2", "b", "unfit2"));
  assert.equal(first.batches.at(-1)?.map(textOf), ["refused1", "a", "refused2", "b"]);
  const reasons = second.texts.map((text, index) => [text, reasonsAt(second)[index]]);
  assert.equal(reasons.toSorted(), [
    ["refused1", "refused1 is not allowed"],
    ["refused2", "refused2 is not allowed"],
    ["unfit1", "unfit1 cannot be written"],
    ["unfit2", "unfit2 cannot be written"],
  ]);
});

test("fallback: messages are written one by one where it is not known which were at fault", async () => {
  const [first, second] = [refusingOutput(), memoryOutput()];
  const copying = outputWithProcessors(first, [each((message) => message.withEntries([["passed", "yes"]]))]);
  const output = await started(fallbackOutput([copying, second]));
  await output.write(batchOf("a", "refused", "b", "unfit"));
  assert.equal(second.texts.toSorted(), ["refused", "unfit"]);
});

test("fallback: the failure of the last output names the messages that the fallback was given", async () => {
  const output = await started(fallbackOutput([refusingOutput(), refusingOutput()]));
  const batch = batchOf("a", "refused", "b");
  assert.equal((await refusal(output.write(batch))).undelivered(batch), [batch[1]]);
});

/** Returns an output that cannot be reached for texts that begin with `away`, and never accepts those with `refused`. */
function partlyAwayOutput(): MemoryOutput {
  return memoryOutput((batch) => {
    const write = new CountedWrite(batch.length);
    for (const message of batch) {
      const text = textOf(message);
      if (text.startsWith("away")) write.refuse(failedMessage(message, broken));
      else if (text.startsWith("refused"))
        write.refuse(unfitMessage(message, new GatewayError(502, "not allowed", { retryable: false })));
      else write.confirm();
    }
    return write.settled;
  });
}

test("fallback: only the messages that an output did not accept go on, each with its own reason", async () => {
  const [first, second] = [partlyAwayOutput(), memoryOutput()];
  const output = await started(fallbackOutput([first, second]));
  await output.write(batchOf("refused", "a", "away", "b"));
  assert.equal(second.texts, ["refused", "away"]);
  assert.equal(reasonsAt(second), ["not allowed", "broker away"]);
  assert.is(first.batches.length, 1);
});

test("fallback: messages that the last output never accepts can be delivered once an earlier one is back", async () => {
  const output = await started(fallbackOutput([partlyAwayOutput(), refusingOutput(), refusingOutput()]));
  const batch = batchOf("a", "away", "refused");
  const unfit = await refusal(output.write(batch));
  assert.equal([unfit.retryable, unfit.undelivered(batch)], [false, [batch[2]]]);
  const away = await started(fallbackOutput([failingOutput(), refusingOutput(), refusingOutput()]));
  const later = await refusal(away.write(batch));
  assert.equal([later.retryable, later.message], [true, "broker away"]);
  assert.equal(later.undelivered(batch), [batch[2]]);
});

test("fallback: messages beside one that the last output cannot carry are delivered, and only once", async () => {
  const [first, last] = [partlyAwayOutput(), refusingOutput()];
  const output = await started(fallbackOutput([first, last]));
  const batch = batchOf("a", "refused", "b").map((message, index) =>
    index === 0 ? message : message.withFailure(failed),
  );
  const [unfit] = batchOf("unfit").map((message) => message.withFailure(failed));
  const all = [...batch, ...(unfit === undefined ? [] : [unfit])];
  const failure = await refusal(output.write(all));
  assert.equal(failure.undelivered(all), [batch[1], unfit]);
  assert.equal(first.texts, ["a"]);
  assert.equal(last.batches.at(-1)?.map(textOf), ["refused", "b"]);
});

test("fallback: the last failure is the outcome when all outputs fail", async () => {
  const output = await started(fallbackOutput([failingOutput(), failingOutput(failed)]));
  assert.is(await refusal(output.write(batchOf("a"))), failed);
});

test("fallback: only the failed messages of a batch bypass a plain output", async () => {
  const [first, second] = [memoryOutput(), memoryOutput()];
  const output = await started(fallbackOutput([first, second]));
  const batch = flagging("a", "!b", "c");
  assert.ok(output.takesFailed?.(batch, 1));
  await output.write(batch);
  assert.equal([first.texts, second.texts], [["a", "c"], ["!b"]]);
  assert.equal(reasonsAt(second), ["cannot read it"]);
  const [letter] = second.batches.flat();
  assert.is(letter?.failure?.message, "cannot read it", "mappings beside the output can still read it");
});

test("fallback: reject_errored as first output passes failed messages on under both failure strategies", async () => {
  for (const deliversFailed of [false, true]) {
    const [first, second] = [memoryOutput(), memoryOutput()];
    const output = fallbackOutput([rejectErroredOutput(first), second]);
    await started(output, { ...componentContext(), deliversFailed });
    const other = batchOf("c").map((message) => message.withFailure(new MappingError("another reason")));
    await output.write([...flagging("a", "!b"), ...other]);
    assert.equal([first.texts, second.texts], [["a"], ["!b", "c"]]);
    assert.equal(reasonsAt(second), [
      "rejecting due to failed processing: cannot read it",
      "rejecting due to failed processing: another reason",
    ]);
  }
});

test("fallback: a composite output accepts the failed messages passed to it", async () => {
  const [first, second] = [memoryOutput(), memoryOutput()];
  const letters = brokerOutput({ outputs: [second] });
  const output = await started(fallbackOutput([first, letters]));
  await output.write(flagging("!a"));
  assert.equal(second.texts, ["!a"]);
});

test("fallback: a message that fails in the processors of the next output is rejected there", async () => {
  const second = memoryOutput();
  const again = each((message) => message.withFailure(new MappingError("again")));
  const output = await started(fallbackOutput([memoryOutput(), outputWithProcessors(second, [again])]));
  assert.is((await refusal(output.write(flagging("!a")))).message, "again");
  assert.is(second.batches.length, 0);
});

test("fallback: missing clients and a stopping stream do not trigger the fallback", async () => {
  const demand = givenDemand();
  const [clients, letters] = [givenOutput({ demand }), memoryOutput()];
  const output = await started(fallbackOutput([clients, letters]));
  assert.is(output.demand, demand);
  const write = output.write(batchOf("a"));
  (await clients.writes.next()).refuse(new GatewayError(503, "No client is connected"));
  assert.is((await refusal(write)).status, 503);
  demand.set(true);
  const late = output.write(batchOf("b"));
  const pending = await clients.writes.next();
  await output.close();
  pending.refuse(new GatewayError(503, "closing"));
  await refusal(late);
  assert.is(letters.batches.length, 0);
});

test("fallback: a message that the first output never accepts is left to a later delivery while the stream stops", async () => {
  const [first, next] = [givenOutput(), memoryOutput()];
  const output = await started(fallbackOutput([first, next]));
  const batch = batchOf("refused", "a");
  const [message = Message.fromText("")] = batch;
  const write = output.write(batch);
  const pending = await first.writes.next();
  await output.close();
  pending.refuse(unfitMessage(message, new GatewayError(502, "not allowed", { retryable: false })));
  const failure = await refusal(write);
  assert.ok(failure.retryable, failure.message);
  assert.equal(failure.undelivered(batch), batch);
  assert.is(next.batches.length, 0);
});

test("reject_errored: rejects failed messages with their failure and passes all others on", async () => {
  const target = memoryOutput();
  const output = await started(rejectErroredOutput(target));
  await output.write(batchOf("a"));
  assert.is(await refusal(output.write(flagging("b", "!c"))), failed);
  assert.equal(target.texts, ["a"]);
});

function cases(...list: readonly OutputCase[]): readonly OutputCase[] {
  return list;
}

test("switch: each message goes to the first matching case, and to later ones with continue", async () => {
  const [a, b, rest] = [memoryOutput(), memoryOutput(), memoryOutput()];
  const output = await started(
    switchOutput({
      cases: cases(
        { check: startsWith("a"), output: a, continue: true },
        { check: startsWith("ab"), output: b },
        { output: rest },
      ),
    }),
  );
  await output.write(batchOf("ab", "ac", "x"));
  assert.equal([a.texts, b.texts, rest.texts], [["ab", "ac"], ["ab"], ["ac", "x"]]);
});

test("switch: unmatched messages are dropped, or reject the batch before any write in strict mode", async () => {
  const target = memoryOutput();
  const list = cases({ check: startsWith("a"), output: target });
  const lenient = await started(switchOutput({ cases: list }));
  await lenient.write(batchOf("a", "b"));
  assert.equal(target.texts, ["a"]);
  const strict = await started(switchOutput({ cases: list, strict_mode: true }));
  assert.is((await refusal(strict.write(batchOf("a", "b")))).status, 422);
  assert.equal(target.texts, ["a"]);
});

test("switch: a check that fails on a message does not match it", async () => {
  const [first, last] = [memoryOutput(), memoryOutput()];
  const check: QueryFunction = (batch, index) => {
    if (textOf(batch[index] ?? Message.fromBytes(Buffer.of())) === "a") throw failed;
    return true;
  };
  const two = cases({ check, output: first }, { output: last });
  const output = await started(switchOutput({ cases: two }));
  await output.write(batchOf("a", "b"));
  assert.equal([first.texts, last.texts], [["b"], ["a"]]);
  const strict = await started(switchOutput({ cases: cases({ check, output: first }), strict_mode: true }));
  assert.is((await refusal(strict.write(batchOf("a", "b")))).status, 422);
  assert.equal(first.texts, ["b"]);
});

test("switch: failed messages go to the case that reads the failure, or nowhere", async () => {
  const [letters, target] = [memoryOutput(), memoryOutput()];
  const reading = { check: isFlagged, output: letters, reads_failure: true };
  const output = await started(switchOutput({ cases: cases(reading, { output: target }) }));
  const batch = flagging("a", "!b");
  assert.is(findHeld(output, batch, 1), undefined);
  await writeThroughGate(output, batch);
  assert.equal([letters.texts, target.texts], [["!b"], ["a"]]);

  const blind = await started(switchOutput({ cases: cases({ check: startsWith("!"), output: letters }) }));
  assert.is(findHeld(blind, batch, 1), failed, "it would take it, but does not ask whether it failed");
  assert.is(await refusal(blind.write(flagging("!b"))), failed);
  const none = await started(switchOutput({ cases: cases({ check: startsWith("x"), output: target }) }));
  assert.is(findHeld(none, batch, 1), failed, "nothing drops it");
  assert.is(await refusal(none.write(flagging("!b"))), failed);
  assert.equal(letters.texts, ["!b"]);
});

test("switch: a failed message may go to an output that accepts failed messages", async () => {
  const letters = memoryOutput();
  const inner = fallbackOutput([memoryOutput(), letters]);
  const output = await started(switchOutput({ cases: cases({ output: inner }) }));
  await writeThroughGate(output, flagging("!a"));
  assert.equal(letters.texts, ["!a"]);
});

test("switch: retry_until_success retries failed cases individually", async () => {
  const [good, bad] = [givenOutput(), givenOutput()];
  const output = await started(
    switchOutput({
      cases: cases({ check: startsWith("a"), output: good }, { output: bad }),
      retry_until_success: true,
    }),
  );
  const write = output.write(batchOf("a", "b"));
  (await good.writes.next()).confirm();
  (await bad.writes.next()).refuse(broken);
  (await bad.writes.next()).confirm();
  await write;
  assert.is(good.writes.all.length, 1);
  await output.close();
});

test("retry: retries up to max_retries, but not if the failure is permanent", async () => {
  const backoff = { initial_interval: 1, max_interval: 2 };
  const bad = failingOutput();
  const output = await started(retryOutput({ output: bad, max_retries: 2, backoff }));
  assert.is(await refusal(output.write(batchOf("a"))), broken);
  assert.is(bad.batches.length, 3);
  const hopeless = failingOutput(failed);
  await refusal((await started(retryOutput({ output: hopeless, backoff }))).write(batchOf("a")));
  assert.is(hopeless.batches.length, 1);
});

test("retry: retries forever by default, up to max_elapsed_time if set, and until it closes", async () => {
  const bad = failingOutput();
  const slow = { initial_interval: 60_000, max_interval: 60_000, max_elapsed_time: 10_000 };
  await refusal((await started(retryOutput({ output: bad, backoff: slow }))).write(batchOf("a")));
  assert.is(bad.batches.length, 1, "the next attempt would come too late");
  const endless = givenOutput();
  const output = await started(
    retryOutput({ output: endless, backoff: { initial_interval: 1, max_interval: 1 } }),
  );
  const write = output.write(batchOf("a"));
  for (let attempt = 0; attempt < 20; attempt += 1) (await endless.writes.next()).refuse(broken);
  const last = await endless.writes.next();
  await output.close();
  last.refuse(broken);
  await refusal(write);
});

test("drop_on: drops only the messages of a batch that the output fails on", async () => {
  const target = memoryOutput((batch) =>
    batch.some((message) => textOf(message) === "bad") ? Promise.reject(broken) : {},
  );
  const output = await started(dropOnOutput({ output: target, error: true }));
  await output.write(batchOf("a", "bad", "b"));
  assert.equal(target.texts, ["a", "bad", "b", "a", "bad", "b"]);
  const strict = await started(dropOnOutput({ output: target }));
  assert.is(await refusal(strict.write(batchOf("bad"))), broken);
});

test("drop_on: error_patterns select the errors", async () => {
  const errors = [new GatewayError(400, "too large: 12"), broken];
  const target = memoryOutput(() => Promise.reject(errors.shift()));
  const output = await started(
    dropOnPatternsOutput({ output: target, error_patterns: ["^too large: [0-9]+$"] }),
  );
  await output.write(batchOf("a"));
  assert.is(await refusal(output.write(batchOf("b"))), broken);
});

test("drop_on: a failed message is rejected, not dropped", async () => {
  const output = await started(dropOnOutput({ output: memoryOutput(), error: true }));
  assert.is(findHeld(output, flagging("!a"), 0), failed);
});

test("drop_on: messages that fail in its processors are dropped, those that failed before are not", async () => {
  const target = memoryOutput();
  const passing = outputWithProcessors(target, [each((message) => message)]);
  const output = await started(dropOnOutput({ output: passing, error: true }));
  assert.is(await refusal(output.write(flagging("a", "!b"))), failed);
  const failing = outputWithProcessors(target, [
    each((message) => (textOf(message) === "bad" ? message.withFailure(failed) : message)),
  ]);
  await (await started(dropOnOutput({ output: failing, error: true }))).write(batchOf("bad", "c"));
  assert.equal(target.texts, ["a", "c"]);
});

test("drop_on: back_pressure drops messages that are not accepted in time, without connected clients too", async () => {
  const slow = givenOutput();
  const output = await started(dropOnOutput({ output: slow, back_pressure: 5 }));
  assert.equal(await output.write(batchOf("a")), {});
  assert.is(slow.writes.all.length, 1);

  const demand = givenDemand();
  const clients = givenOutput({ demand });
  const dropping = await started(dropOnOutput({ output: clients, back_pressure: 5 }));
  assert.is(dropping.demand, undefined);
  await dropping.write(batchOf("a"));
  assert.is(clients.writes.all.length, 0, "nothing waits for clients that would come later");
  demand.set(true);
  const write = (await started(dropOnOutput({ output: clients, back_pressure: 60_000 }))).write(batchOf("b"));
  (await clients.writes.next()).confirm(batchOf("reply"));
  assert.is((await write).response?.length, 1);
});

test("drop_on: messages rejected because of the stop are not dropped", async () => {
  const target = givenOutput();
  const output = await started(dropOnOutput({ output: target, error: true }));
  const write = output.write(batchOf("a"));
  const pending = await target.writes.next();
  await output.close();
  pending.refuse(broken);
  assert.is(await refusal(write), broken);
});

test("drop acknowledges, reject rejects with its text, sync_response replies", async () => {
  assert.equal(await dropOutput({}).write(batchOf("a")), {});
  const text = (batch: Batch, index: number) => `no ${textOf(batch[index] as Message)}`; // index 0 exists
  const failure = await refusal(rejectOutput(text).write(batchOf("a")));
  assert.equal([failure.status, failure.message, failure.retryable], [422, "no a", false]);
  assert.is(findHeld(rejectOutput("no"), flagging("!a"), 0), undefined);
  const { response = [] } = await syncResponseOutput({}).write(batchOf("a", "b"));
  assert.equal(response.map(textOf), ["a", "b"]);
});

test("a fan-out accepts failed messages if all outputs do, round_robin and greedy if any does", async () => {
  const batch = flagging("!a");
  const letters = memoryOutput();
  const outputs = [memoryOutput(), fallbackOutput([memoryOutput(), letters])];
  assert.is(findHeld(brokerOutput({ outputs }), batch, 0), failed);
  for (const pattern of ["round_robin", "greedy"] as const) {
    const output = await started(brokerOutput({ outputs, pattern }));
    assert.is(findHeld(output, batch, 0), undefined);
    await output.write(batch);
  }
  assert.equal(letters.texts, ["!a", "!a"]);
});

test("wrappers expose the endpoints and the demand of their output, and close it", async () => {
  const demand = givenDemand();
  const endpoint = { transport: "http" as const, verbs: ["GET"], path: "/a", handle: async () => undefined };
  const child = givenOutput({ demand, endpoints: [endpoint] });
  const wrappers: Output[] = [
    retryOutput({ output: child }),
    dropOnOutput({ output: child, error: true }),
    rejectErroredOutput(child),
    fallbackOutput([child]),
    switchOutput({ cases: [{ output: child }] }),
    outputWithProcessors(child, []),
    brokerOutput({ outputs: [child], pattern: "greedy" }),
  ];
  for (const wrapper of wrappers) {
    assert.equal(wrapper.endpoints, [endpoint]);
    assert.is(wrapper.demand?.wanted, false);
  }
  demand.set(true);
  for (const wrapper of wrappers) assert.ok(wrapper.demand?.wanted);
  for (const wrapper of wrappers) await wrapper.close();
  assert.is(child.closed, wrappers.length);
});

test.run();
