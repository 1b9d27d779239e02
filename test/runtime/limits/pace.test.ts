import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { PoolClient } from "../../../runtime/component/message-gates.ts";
import { createPace, createQueue, paceClients } from "../../../runtime/limits/message-gates.ts";
import { Message } from "../../../runtime/message/message.ts";
import { until } from "../../harness/wait.ts";
import { createExactCounters } from "./exact-counters.ts";

const second = 1_000_000;

test("a pace waits as long as the slowest of its rates", () => {
  const rates = [
    { rate: 3, per: 1 },
    { rate: 5, per: 7 },
  ];
  const claims = rates.map(({ rate, per }, index) => {
    return { kind: "rate", key: `${index}`, rate, per: per * second } as const;
  });
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: second }), { maxLength: 40 }), (pauses) => {
      let time = 0;
      const pace = createPace(rates, () => time);
      const counters = createExactCounters();
      for (const each of pauses) {
        time += each;
        const isFree = pace?.wait() === 0;
        assert.is(isFree, counters.take(claims, time));
        if (isFree) pace?.count();
      }
    }),
    { seed: 6 },
  );
});

test("there is no pace without a rate", () => {
  assert.is(
    createPace([], () => 0),
    undefined,
  );
  assert.is(
    createPace([{ rate: 0, per: 1 }], () => 0),
    undefined,
  );
});

test("a queue passes in order, and no faster than its pace", async () => {
  let time = 0;
  const pace = createPace([{ rate: 2, per: 0.01 }], () => time);
  assert.ok(pace);
  const pass = createQueue(pace);
  const { signal } = new AbortController();
  const passed: number[] = [];
  const all = [0, 1, 2, 3].map((each) => pass(signal).then(() => passed.push(each)));
  await all[1];
  assert.equal(passed, [0, 1]);
  time += 5_000;
  await all[2];
  assert.equal(passed, [0, 1, 2]);
  time += 5_000;
  await all[3];
  assert.equal(passed, [0, 1, 2, 3]);
});

test("a queue rejects waiting callers when the stream stops", async () => {
  const pace = createPace([{ rate: 1, per: 3600 }], () => 0);
  assert.ok(pace);
  const pass = createQueue(pace);
  const ending = new AbortController();
  await pass(ending.signal);
  const waiting = [pass(ending.signal), pass(ending.signal)].map((each) => each.then(() => "passed", String));
  ending.abort();
  for (const each of await Promise.all(waiting)) assert.match(each, "Stream is stopping");
});

test("a paced client is not ready until it may get one more, and is notified then", async () => {
  let time = 0;
  const pace = createPace([{ rate: 2, per: 0.01 }], () => time);
  assert.ok(pace);
  const sent: string[] = [];
  const client: PoolClient = {
    isReady: () => true,
    send: (message) => sent.push(String(message.document())),
    end() {},
  };
  let asked = 0;
  let paced: PoolClient | undefined;
  const membership = paceClients(pace)((joined) => {
    paced = joined;
    return {
      ready() {
        asked += 1;
      },
      leave() {},
    };
  })(client);
  const send = () =>
    paced?.send(Message.fromText("1"), { confirm: () => undefined, giveBack: () => undefined });
  assert.ok(paced?.isReady());
  send();
  assert.ok(paced?.isReady());
  send();
  assert.not.ok(paced?.isReady());
  assert.is(sent.length, 2);
  time += 5_000;
  await until(() => asked > 0);
  assert.ok(paced?.isReady());
  send();
  membership.leave();
  assert.is(asked, 1);
});

test("a client of batches is ready again when the pace allows all of its messages", () => {
  let time = 0;
  const pace = createPace([{ rate: 2, per: 0.01 }], () => time);
  assert.ok(pace);
  const sent: number[] = [];
  let paced: PoolClient | undefined;
  const membership = paceClients(pace)((joined) => {
    paced = joined;
    return { ready() {}, leave() {} };
  })({ isReady: () => true, send() {}, sendBatch: (batch) => sent.push(batch.length), end() {} });
  const messages = Array.from({ length: 4 }, (_, index) => Message.fromText(String(index)));
  paced?.sendBatch?.(messages, () => undefined);
  assert.equal(sent, [4]);
  assert.not.ok(paced?.isReady());
  time += 5_000;
  assert.ok(pace.wait() > 0);
  time += 10_000;
  assert.is(pace.wait(), 0);
  membership.leave();
});

test.run();
