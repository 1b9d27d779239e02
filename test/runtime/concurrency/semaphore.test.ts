import fc from "fast-check";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { Fifo } from "../../../runtime/concurrency/fifo.ts";
import { Semaphore } from "../../../runtime/concurrency/semaphore.ts";

const turn = () => new Promise(setImmediate);

test("a semaphore admits synchronously while the weight fits, and otherwise in call order", async () => {
  const semaphore = new Semaphore(3);
  assert.is(semaphore.acquire(2), undefined);
  const admitted: string[] = [];
  const heavy = semaphore.acquire(2)?.then(() => admitted.push("heavy"));
  const light = semaphore.acquire()?.then(() => admitted.push("light"));
  await turn();
  assert.equal(admitted, [], "the light one would fit, but came later");
  assert.is(semaphore.waiting, 2);
  semaphore.release(2);
  await Promise.all([heavy, light]);
  assert.equal(admitted, ["heavy", "light"]);
  assert.is(semaphore.waiting, 0);
});

test("a weight above the limit is admitted alone", async () => {
  const semaphore = new Semaphore(2);
  assert.is(semaphore.acquire(5), undefined);
  let isAdmitted = false;
  const next = semaphore.acquire()?.then(() => (isAdmitted = true));
  await turn();
  assert.not(isAdmitted);
  semaphore.release(5);
  await next;
  assert.ok(isAdmitted);
});

test("`use` starts work synchronously if admitted, and releases the semaphore when the work fails", async () => {
  const semaphore = new Semaphore(1);
  let started = false;
  const failing = semaphore.use(async () => {
    started = true;
    await turn();
    throw new Error("work failed");
  });
  assert.ok(started);
  const next = semaphore.use(async () => "done");
  await failing.then(
    () => assert.unreachable(),
    (error) => assert.is(error.message, "work failed"),
  );
  assert.is(await next, "done");
});

test("work that enters runs in the order of the calls, during the release that admits it", () => {
  const semaphore = new Semaphore(1);
  const ran: number[] = [];
  semaphore.enter(() => undefined);
  const count = 100_000; // each ends at once and admits the next one, without a deeper stack
  for (let index = 0; index < count; index += 1) {
    semaphore.enter(() => {
      ran.push(index);
      semaphore.release();
    });
  }
  assert.is(ran.length, 0);
  semaphore.release();
  assert.equal(
    ran,
    Array.from({ length: count }, (_, index) => index),
  );
  assert.is(semaphore.acquire(), undefined);
});

test("`use` and `enter` start work in the order of the calls when several releases follow each other", async () => {
  const semaphore = new Semaphore(2);
  assert.equal([semaphore.acquire(), semaphore.acquire()], [undefined, undefined]);
  const begun: string[] = [];
  const used = semaphore.use(async () => void begun.push("used"));
  semaphore.enter(() => void begun.push("entered"));
  semaphore.release();
  semaphore.release();
  await used;
  assert.equal(begun, ["used", "entered"]);
});

test("a higher limit admits waiting callers immediately; a lower one does not affect holders", async () => {
  const semaphore = new Semaphore(1);
  const open: (() => void)[] = [];
  const work = Array.from({ length: 4 }, () =>
    semaphore.use(() => new Promise<void>((end) => open.push(end))),
  );
  assert.is(open.length, 1);
  semaphore.limit = 3;
  await turn();
  assert.is(open.length, 3);
  semaphore.limit = 1;
  open[0]?.();
  await turn();
  assert.is(open.length, 3, "two still hold it");
  open[1]?.();
  open[2]?.();
  await turn();
  assert.is(open.length, 4);
  open[3]?.();
  await Promise.all(work);
});

test("`idle` resolves when the semaphore has no holders and no waiting callers", async () => {
  const semaphore = new Semaphore(1);
  await semaphore.idle();
  let isIdle = false;
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  const used = [semaphore.use(() => first.promise), semaphore.use(() => second.promise)];
  const idle = semaphore.idle().then(() => (isIdle = true));
  first.resolve();
  await turn();
  assert.not(isIdle);
  second.resolve();
  await Promise.all([...used, idle]);
});

test("`idle` waits for callers that are admitted after one that ends immediately", async () => {
  const semaphore = new Semaphore(1);
  assert.is(semaphore.acquire(), undefined);
  let isLastAdmitted = false;
  semaphore.enter(() => semaphore.release());
  semaphore.enter(() => (isLastAdmitted = true));
  let isIdle = false;
  const idle = semaphore.idle().then(() => (isIdle = true));
  semaphore.release();
  await turn();
  assert.equal([isLastAdmitted, isIdle], [true, false]);
  semaphore.release();
  await idle;
});

test("property: the limit holds and callers are admitted in order, for all weights and orders of release", async () => {
  const weights = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 30 });
  const property = fc.asyncProperty(
    fc.integer({ min: 1, max: 5 }),
    weights,
    fc.infiniteStream(fc.nat()),
    run,
  );
  await fc.assert(property, { seed: 15, numRuns: 200 });
});

async function run(limit: number, weights: readonly number[], choices: Iterator<number>): Promise<void> {
  const semaphore = new Semaphore(limit);
  const admitted: number[] = [];
  const held = new Map<number, number>();
  const admit = (index: number, weight: number) => {
    admitted.push(index);
    held.set(index, weight);
    const total = [...held.values()].reduce((sum, each) => sum + each, 0);
    assert.ok(total <= limit || held.size === 1 || total === weight, `${total} are held of ${limit}`);
  };
  for (const [index, weight] of weights.entries()) {
    const acquired = semaphore.acquire(weight);
    if (acquired === undefined) admit(index, weight);
    else void acquired.then(() => admit(index, weight));
  }
  while (admitted.length < weights.length || held.size > 0) {
    await Promise.resolve();
    const indexes = [...held.keys()];
    const chosen = indexes[Number(choices.next().value) % indexes.length];
    assert.ok(chosen !== undefined, "callers wait although nothing is held");
    semaphore.release(held.get(chosen));
    held.delete(chosen);
    await Promise.resolve();
  }
  assert.equal(admitted, [...weights.keys()]);
  await semaphore.idle();
}

test("a queue has the items of an array on which the same operations run", () => {
  const step = fc.constantFrom("push", "shift", "shift", "delete", "splice", "push", "push");
  fc.assert(
    fc.property(fc.array(fc.tuple(step, fc.nat(40)), { maxLength: 300 }), (steps) => {
      const queue = new Fifo<number>();
      const array: number[] = [];
      for (const [at, [name, number]] of steps.entries()) {
        if (name === "push") {
          for (let item = 0; item < number; item += 1) queue.push(at * 100 + item);
          for (let item = 0; item < number; item += 1) array.push(at * 100 + item);
        } else if (name === "shift") assert.is(queue.shift(), array.shift());
        else if (name === "splice")
          assert.equal(queue.splice(number * 10), array.splice(Math.min(array.length, number * 10)));
        else {
          const item = array[number] ?? -1;
          assert.is(queue.has(item), array.includes(item));
          assert.is(queue.delete(item), array.includes(item));
          if (number < array.length) array.splice(number, 1);
        }
        assert.is(queue.length, array.length);
        assert.is(queue.at(number), array[number]);
      }
      assert.equal(queue.values(), array);
    }),
    { seed: 17, numRuns: 100 },
  );
});

test.run();
