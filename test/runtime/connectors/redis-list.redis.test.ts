import { Redis } from "ioredis";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { redisListInput } from "../../../runtime/connectors/redis/list/input.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { redis } from "../../harness/brokers.ts";
import { unique } from "../../harness/names.ts";
import { until } from "../../harness/wait.ts";
import { inputContext } from "./contexts.ts";

const test = suite("lists of Redis");
const broker = await redis();
const url = broker.address;
const client = new Redis(url);
test.after(async () => {
  await client.quit();
  await broker.stop();
});

test("a list is read from the configured end, and undelivered values return there", async () => {
  const key = unique("list");
  await client.rpush(key, "1", "2", "3");
  const context = inputContext();
  const input = redisListInput({ url, key, command: "brpop", max_in_flight: 1, timeout: 20 });
  await input.start(context);
  const { text, refuse } = await context.deliveries.next();
  assert.is(text, "3");
  const closing = input.close();
  refuse(new GatewayError(502, "not now"));
  await closing;
  assert.equal(await client.lrange(key, 0, -1), ["1", "2", "3"]);
});

test("a processing list holds a value until it is delivered, and the next start begins with it", async () => {
  const [key, processing_key] = [unique("list"), unique("processing")];
  await client.rpush(key, "1", "1", "2");
  await client.rpush(processing_key, "left by a crash");
  const context = inputContext();
  const input = redisListInput({ url, key, processing_key, timeout: 20 });
  await input.start(context);
  const [first, second, third, fourth] = await context.deliveries.take(4);
  assert.equal([first, second, third, fourth].map((each) => each?.text).sort(), [
    "1",
    "1",
    "2",
    "left by a crash",
  ]);
  assert.is(await client.llen(processing_key), 4);
  const all = [first, second, third, fourth];
  for (const each of all) if (each?.text !== "2") each?.confirm();
  await until(async () => (await client.llen(processing_key)) === 1);
  const closing = input.close(); // a value that is refused before is soon delivered again
  all.find((each) => each?.text === "2")?.refuse(new GatewayError(502, "no"));
  await closing;
  assert.equal(await client.lrange(processing_key, 0, -1), ["2"]);
  const again = redisListInput({ url, key, processing_key, timeout: 20 });
  const next = inputContext();
  await again.start(next);
  const recovered = await next.deliveries.next();
  assert.is(recovered.text, "2");
  recovered.confirm();
  await until(async () => (await client.llen(processing_key)) === 0);
  await again.close();
});

test("values of the processing list are delivered one at a time if only one may be in flight", async () => {
  const [key, processing_key] = [unique("list"), unique("processing")];
  await client.rpush(key, "3");
  await client.rpush(processing_key, "1", "2");
  const context = inputContext();
  const input = redisListInput({ url, key, processing_key, max_in_flight: 1, timeout: 20 });
  await input.start(context);
  for (const expected of ["1", "2", "3"]) {
    const { text, confirm } = await context.deliveries.next();
    assert.is(text, expected);
    confirm();
  }
  await until(async () => (await client.llen(processing_key)) === 0);
  await input.close();
});

test("a value is delivered that Redis moves for a lost connection after the processing list was read", async () => {
  const [key, processing_key] = [unique("list"), unique("processing")];
  const context = inputContext();
  const input = redisListInput({ url, key, processing_key, timeout: 20 });
  await client.rpush(key, "1");
  await input.start(context);
  const first = await context.deliveries.next();
  assert.is(first.text, "1"); // the processing list was read before
  await client.rpush(processing_key, "late");
  const late = await context.deliveries.next();
  assert.is(late.text, "late");
  for (const each of [first, late]) each.confirm();
  await until(async () => (await client.llen(processing_key)) === 0);
  await input.close();
});

test("values that may not be removed from the processing list are not delivered again and again", async () => {
  const [key, processing_key] = [unique("list"), unique("processing")];
  await client.call("ACL", "SETUSER", "mover", "on", ">pw", "~*", "+@all", "-lrem");
  const context = inputContext();
  const input = redisListInput({ url: url.replace("//", "//mover:pw@"), key, processing_key, timeout: 20 });
  await input.start(context);
  const values = Array.from({ length: 10 }, (_, index) => String(index));
  let deliveries = 0;
  for (const value of values) {
    await client.rpush(key, value);
    for (let text = ""; text !== value; deliveries += 1) {
      const delivery = await context.deliveries.next();
      text = delivery.text;
      delivery.confirm();
    }
  }
  assert.ok(deliveries <= 2 * values.length, `${deliveries} deliveries`); // a start looks at the list twice
  await input.close();
});

test.run();
