import { EventEmitter } from "node:events";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Counters } from "../../../runtime/counters.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import type { WorkerMessage } from "../../../runtime/gateway/workers/messages.ts";
import { Counting } from "../../../runtime/gateway/workers/primary.ts";
import { createPrimaryCounters } from "../../../runtime/limits/gateway-counters.ts";
import { createMemoryCounters } from "../../../runtime/limits/memory-counters.ts";
import { until } from "../../harness/wait.ts";

/** A worker's channel to a primary in this process. It transmits messages as JSON, as channels between processes do. */
class Channel extends EventEmitter {
  connected = true;
  messages = 0;
  readonly #answer: (message: WorkerMessage) => Promise<object | undefined>;

  constructor(answer: (message: WorkerMessage) => Promise<object | undefined>) {
    super();
    this.#answer = answer;
  }

  send(message: unknown, callback: (error: Error | null) => void): boolean {
    this.messages += 1;
    callback(null);
    void this.#answer(JSON.parse(JSON.stringify(message))).then((answer) => {
      if (answer !== undefined) this.emit("message", JSON.parse(JSON.stringify(answer)));
    });
    return true;
  }

  lose(): void {
    this.connected = false;
    this.emit("disconnect");
  }
}

function connect(counting: Counting, worker: number): { channel: Channel; counters: Counters } {
  const channel = new Channel(async (message) => {
    if (message.kind !== "count") return undefined;
    const answers = await counting.answer(worker, message.requests);
    return { kind: "counted", id: message.id, answers };
  });
  return { channel, counters: createPrimaryCounters(channel) };
}

const once = { kind: "quota", key: "once", max: 1, renewal: 0 } as const;

test("workers count together, and each sends one message for concurrent requests", async () => {
  const counting = new Counting(createMemoryCounters({ clock: () => 0 }));
  const [one, other] = [connect(counting, 0), connect(counting, 1)];
  const claims = [{ kind: "rate", key: "a", rate: 3, per: 300 } as const];
  const verdicts = await Promise.all(Array.from({ length: 2 }, () => one.counters.take(claims)));
  assert.equal(
    verdicts.map(({ standings }) => standings),
    [[{ remaining: 2, reset: 100 }], [{ remaining: 1, reset: 200 }]],
  );
  assert.is(one.channel.messages, 1);
  assert.is((await other.counters.take(claims)).refusedBy, -1);
  assert.equal(await one.counters.take(claims), {
    refusedBy: 0,
    wait: 100,
    standings: [{ remaining: 0, reset: 300 }],
  });
});

test("infinite waits and resets survive the channel", async () => {
  const { counters } = connect(new Counting(createMemoryCounters()), 0);
  assert.equal((await counters.take([once])).standings, [{ remaining: 0, reset: Number.POSITIVE_INFINITY }]);
  assert.is((await counters.take([once])).wait, Number.POSITIVE_INFINITY);
});

test("connections of a worker are released when it leaves them, and when it exits", async () => {
  const counting = new Counting(createMemoryCounters());
  const [one, other] = [connect(counting, 0), connect(counting, 1)];
  const seats = [{ key: "a", max: 2 }];
  const first = await one.counters.enter(seats);
  await other.counters.enter(seats);
  assert.is(await one.counters.enter(seats), 0);
  if (typeof first === "object") {
    first.leave();
    first.leave();
  }
  await until(async () => typeof (await one.counters.enter(seats)) === "object");
  assert.is(await one.counters.enter(seats), 0);
  counting.forget(1);
  assert.type(await one.counters.enter(seats), "object");
  assert.is(await one.counters.enter(seats), 0);
});

test("requests are rejected when the primary is gone", async () => {
  const channel = new Channel(async () => undefined);
  const counters = createPrimaryCounters(channel);
  const waiting = Promise.resolve(counters.take([once])).catch((error: unknown) => error);
  await until(() => channel.messages === 1);
  channel.lose();
  const later = Promise.resolve(counters.enter([{ key: "a", max: 1 }])).catch((error: unknown) => error);
  for (const error of [await waiting, await later]) {
    assert.ok(error instanceof GatewayError && error.status === 503);
  }
});

test.run();
