import { test } from "uvu";
import * as assert from "uvu/assert";
import type { RateLimit } from "../../../runtime/component/resource.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { rateLimit } from "../../../runtime/processors/rate-limit.ts";
import { localRateLimit } from "../../../runtime/resources/local-rate-limit.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, componentContext } from "../connectors/contexts.ts";

/** Runs `work` with a clock that only `work` advances. */
function onClock(work: (pass: (ms: number) => void) => void): void {
  const real = performance.now;
  let now = 1_000;
  performance.now = () => now;
  try {
    work((ms) => {
      now += ms;
    });
  } finally {
    performance.now = real;
  }
}

test("an interval starts with the first message, and admits the configured number", () => {
  onClock((pass) => {
    const limit = localRateLimit({ count: 2, interval: 100 });
    pass(5_000);
    assert.is(limit.take(1), 0);
    pass(30);
    assert.is(limit.take(1), 0);
    assert.is(limit.take(1), 70);
    pass(60);
    assert.is(limit.take(1), 10);
    pass(10);
    assert.equal([limit.take(1), limit.take(1), limit.take(1)], [0, 0, 100]);
  });
});

test("bytes are counted after a message is admitted, for any size", () => {
  onClock((pass) => {
    const limit = localRateLimit({ byte_size: 10, interval: 100 });
    assert.is(limit.take(4), 0);
    assert.is(limit.take(400), 0);
    assert.is(limit.take(1), 100);
    pass(100);
    assert.is(limit.take(1), 0);
  });
});

test("the processor takes from the limit for each message, and waits as long as it answers", async () => {
  const asked: number[] = [];
  const waits = [0, 3, 0, 0];
  const limit: RateLimit = {
    take(bytes) {
      asked.push(bytes);
      return waits[asked.length - 1] ?? 0;
    },
  };
  const batch = batchOf("a", "bb", "ccc");
  assert.equal(await rateLimit({ resource: limit }).process(batch, componentContext()), [batch]);
  assert.equal(asked, [1, 2, 2, 3]);
});

test("an unavailable rate limit delays messages until it answers", async () => {
  let asked = 0;
  const limit: RateLimit = {
    async take() {
      asked += 1;
      if (asked < 2) throw new GatewayError(502, "away");
      return 0;
    },
  };
  const context = componentContext();
  await rateLimit({ resource: limit }).process(batchOf("a"), context);
  assert.is(asked, 2);
  assert.equal(
    context.lines.map(({ level }) => level),
    ["warn", "info"],
  );
});

test("waiting ends when the stream stops, and the batch is rejected", async () => {
  const stopping = new AbortController();
  let asked = false;
  const limit: RateLimit = {
    take() {
      asked = true;
      return 1e6;
    },
  };
  const context = { ...componentContext(), signal: stopping.signal };
  const waiting = Promise.resolve(rateLimit({ resource: limit }).process(batchOf("a"), context));
  await until(() => asked, { what: "the question" });
  stopping.abort();
  const failure = await waiting.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.instance(failure, GatewayError);
  assert.is((failure as GatewayError).status, 503);
});

test.run();
