// Counters, random numbers and identifiers: their ranges, their formats, and that equal seeds give equal results.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { counter, createCounter, createRandom, randomInt } from "../../../runtime/mapping/counters.ts";
import { fake } from "../../../runtime/mapping/fake.ts";
import { ksuid, nanoid, snowflakeId, ulid, uuidV7 } from "../../../runtime/mapping/identifiers.ts";
import { deleted, nothing, Timestamp, type Value } from "../../../runtime/message/value.ts";

function times(count: number, make: () => Value): readonly Value[] {
  return Array.from({ length: count }, make);
}

test("a counter wraps around between its bounds", () => {
  const state = createCounter();
  assert.equal(
    times(5, () =>
      counter(
        state,
        () => 2,
        () => 4,
      ),
    ),
    [2, 3, 4, 2, 3],
  );
});

test("a counter continues at the value of `set`", () => {
  const state = createCounter();
  const step = (set: Value) => counter(state, undefined, undefined, () => set);
  assert.equal([nothing, nothing, null, 10, nothing, deleted].map(step), [1, 2, 2, 10, 11, 1]);
});

test("invalid bounds of a counter throw, and may become valid later", () => {
  const state = createCounter();
  assert.throws(() => counter(state, () => -1), "min argument must be >0, got -1");
  assert.throws(
    () =>
      counter(
        state,
        () => 5,
        () => 5,
      ),
    "max argument must be >0 and >min, got 5",
  );
  assert.throws(
    () => counter(state, () => "x"),
    'failed to resolve min argument: strconv.ParseInt: parsing "x": invalid syntax',
  );
  assert.is(counter(state), 1);
});

test("equal seeds yield equal numbers within the bounds", () => {
  const draw = (seed: number) => {
    const state = createRandom();
    return times(50, () => randomInt(state, () => seed, 10, 20));
  };
  assert.equal(draw(1), draw(1));
  assert.not.equal(draw(1), draw(2));
  assert.ok(draw(3).every((value) => Number(value) >= 10 && Number(value) <= 20));
  assert.is(randomInt(createRandom(), undefined, 7, 7), 7);
});

test("identifiers have the documented formats", () => {
  assert.match(ksuid(), /^[0-9A-Za-z]{27}$/);
  assert.match(nanoid(), /^[\w-]{21}$/);
  assert.match(nanoid(54, "abc"), /^[abc]{54}$/);
  assert.match(ulid("crockford", "fast_random"), /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
  assert.match(ulid("hex", "secure_random"), /^[0-9a-f]{32}$/);
  assert.match(uuidV7("1970-01-01T00:00:01.5Z"), /^00000000-05dc-7/);
  assert.match(uuidV7(1), /^00000000-03e8-7/);
  assert.match(
    uuidV7(new Timestamp(1n, 500_000_000, "UTC")),
    /^00000000-05dc-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
});

test("snowflake ids of a node never repeat", () => {
  const made = times(10_000, () => snowflakeId(1));
  assert.is(new Set(made).size, made.length);
  assert.equal(
    made,
    [...made].sort((a, b) => (BigInt(String(a)) < BigInt(String(b)) ? -1 : 1)),
  );
  assert.throws(() => snowflakeId(1024), "Node number must be between 0 and 1023");
});

test("fake data is of the requested kind", () => {
  assert.match(String(fake("email")), /^[a-z]{7}@[a-z]{7}\.[a-z]+$/);
  assert.match(String(fake("TIME_STRING")), /^\d\d:\d\d:\d\d$/);
  assert.match(String(fake("ipv4")), /^\d+\.\d+\.\d+\.\d+$/);
  assert.throws(() => fake("colour"), "invalid faker function: colour");
});

test.run();
