import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PartitionReader } from "../../../runtime/connectors/kafka/partition.ts";
import { parseSelection } from "../../../runtime/connectors/kafka/selection.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { Message } from "../../../runtime/message.ts";
import { Queue } from "../../harness/queue.ts";

const test = suite("kafka parts");

/** A reader whose deliveries wait for the test's word. */
function givenReader(limit: number, ahead = 1) {
  const deliveries = new Queue<{ text: string; end(confirmed: boolean): void; abandon: AbortSignal }>();
  const fetching: string[] = [];
  const reader = new PartitionReader({
    limit,
    ahead,
    deliver: (message, abandon) =>
      new Promise((end) => deliveries.push({ text: Buffer.from(message.bytes()).toString(), end, abandon })),
    pauseFetching: () => fetching.push("pause"),
    resumeFetching: () => fetching.push("resume"),
  });
  return { reader, deliveries, fetching };
}

const records = (...offsets: number[]) =>
  offsets.map((offset) => ({ offset: BigInt(offset), message: Message.fromText(String(offset)) }));

test("the position is the oldest unconfirmed offset, however late others are confirmed", async () => {
  const { reader, deliveries } = givenReader(10);
  assert.is(reader.position, undefined);
  reader.take(records(5, 7, 8));
  assert.is(reader.position, 5n);
  const [five, seven, eight] = await deliveries.take(3);
  eight?.end(true);
  five?.end(true);
  await new Promise(setImmediate);
  assert.is(reader.position, 7n);
  seven?.end(true);
  await reader.idle();
  assert.is(reader.position, 9n);
  assert.is(reader.next, 9n);
});

test("fetching pauses while enough messages wait, and resumes before it runs dry", async () => {
  const { reader, deliveries, fetching } = givenReader(2, 4);
  reader.take(records(0, 1, 2, 3, 4));
  assert.equal(fetching, []);
  reader.take(records(5));
  assert.equal(fetching, ["pause"]);
  assert.is(deliveries.all.length, 2);
  for (const text of ["0", "1"]) {
    const delivery = await deliveries.next();
    assert.is(delivery.text, text);
    delivery.end(true);
    await new Promise(setImmediate);
  }
  assert.equal(fetching, ["pause", "resume"]);
});

test("an abandoned reader hands over nothing more and confirms nothing it did not deliver", async () => {
  const { reader, deliveries, fetching } = givenReader(1);
  reader.take(records(0, 1, 2));
  const { end, abandon } = await deliveries.next();
  reader.abandon();
  assert.ok(abandon.aborted);
  assert.equal(fetching, ["pause", "resume"]);
  end(false);
  await reader.idle();
  assert.is(reader.position, 0n);
  assert.is(deliveries.all.length, 1);
});

test("topics are selected whole or by partitions", () => {
  const selection = parseSelection(["orders, payments:3", "payments:0-1", "orders:7"]);
  assert.equal(selection.topics, ["orders", "payments"]);
  assert.equal([...selection.partitions], [["payments", [3, 0, 1]]]);
  for (const wrong of ["orders:", "orders:a", ":1", "orders:3-1", "orders:0-999999999", "a:b:c"]) {
    assert.throws(
      () => parseSelection([wrong]),
      (error: Error) => error instanceof GatewayError,
      wrong,
    );
  }
});

test.run();
