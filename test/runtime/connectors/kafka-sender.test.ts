import { suite } from "uvu";
import * as assert from "uvu/assert";
import { recordFromMessage, recordSize } from "../../../runtime/connectors/kafka/record.ts";
import { noHeaders } from "../../../runtime/connectors/kafka/record-headers.ts";
import { type PartitionRecords, Sender } from "../../../runtime/connectors/kafka/sender.ts";
import { Message } from "../../../runtime/message/message.ts";
import { Queue } from "../../harness/queue.ts";

const test = suite("kafka sender");

interface Request {
  readonly values: readonly string[];
  end(error?: Error): void;
}

/** Returns a sender whose requests wait until the test settles them. Broker 1 leads partitions up to 9, broker 2 the others. */
function givenSender(largestPart = 900_000) {
  const requests = new Queue<Request>();
  const again = new Queue<Request & { readonly failure: string }>();
  const asked = (parts: readonly PartitionRecords[], queue: (request: Request) => void) =>
    new Promise<void>((resolve, reject) => {
      const end = (error?: Error) => (error === undefined ? resolve() : reject(error));
      const values = parts.flatMap(({ records }) => records.map(({ value }) => String(value)));
      queue({ values, end });
    });
  const sender = new Sender({
    largestPart,
    leaderOf: (_, partition) => (partition < 10 ? 1 : 2),
    isPermanent: (error) => error instanceof RangeError,
    blame: (error) => error,
    send: async (parts) => {
      await asked(parts, (request) => requests.push(request));
      return new Map();
    },
    sendAgain: (part, failure, wasAlone) => {
      if (wasAlone && failure instanceof RangeError) throw failure;
      return asked([part], (request) => again.push({ ...request, failure: String(failure) }));
    },
  });
  const write = (value: string, partition = 0, topic = "orders") => {
    const record = recordFromMessage(Message.fromText(value), "", () => noHeaders);
    const part = { topic, partition, records: [record], size: recordSize(record) };
    return new Promise<string>((resolve) => {
      sender.write(part, {
        confirm: () => resolve("confirmed"),
        fail: (error) => resolve((error as Error).message),
      });
    });
  };
  return { sender, requests, again, write };
}

const turn = () => new Promise(setImmediate);

test("records written during a request share the next one, for any topic", async () => {
  const { sender, requests, write } = givenSender();
  const first = write("a");
  const { values, end } = await requests.next();
  assert.equal(values, ["a"]);
  const rest = Promise.all([write("b"), write("c", 1), write("d", 0, "payments"), write("e")]);
  await turn();
  assert.is(requests.all.length, 1);
  assert.is(sender.pending("orders", 0), 3);
  end();
  assert.is(await first, "confirmed");
  const second = await requests.next();
  assert.equal(second.values.toSorted(), ["b", "c", "d", "e"]);
  assert.ok(second.values.indexOf("b") < second.values.indexOf("e"));
  second.end();
  assert.equal(new Set(await rest).size, 1);
  await sender.idle();
  assert.is(sender.pending("orders", 0), 0);
});

test("requests to one broker do not wait for another", async () => {
  const { requests, write } = givenSender();
  const slow = write("slow", 0);
  const slowRequest = await requests.next();
  const quick = write("quick", 10);
  (await requests.next()).end();
  assert.is(await quick, "confirmed");
  slowRequest.end();
  assert.is(await slow, "confirmed");
});

test("a request stays below the brokers' maximum size, except for a single large record", async () => {
  const { requests, write } = givenSender();
  const large = "x".repeat(600_000);
  const writes = Promise.all([large, large, "y".repeat(2_000_000), "small"].map((value) => write(value)));
  for (let count = 0; count < 4; count++) {
    const { values, end } = await requests.next();
    assert.is(values.length, 1);
    end();
  }
  assert.equal(new Set(await writes), new Set(["confirmed"]));
});

test("failed records are retried individually, later records wait, and other partitions continue", async () => {
  const { requests, again, write } = givenSender();
  const zero = write("zero", 0);
  const one = write("one", 1);
  (await requests.next()).end(new Error("no leader"));
  const [zeroAgain, oneAgain] = await again.take(2);
  assert.equal([zeroAgain?.values, oneAgain?.values], [["zero"], ["one"]]);
  const afterZero = write("after zero", 0);
  const afterOne = write("after one", 1);
  oneAgain?.end();
  assert.is(await one, "confirmed");
  const next = await requests.next();
  assert.equal(next.values, ["after one"]);
  next.end();
  assert.is(await afterOne, "confirmed");
  assert.is(requests.all.length, 2);
  zeroAgain?.end();
  assert.is(await zero, "confirmed");
  (await requests.next()).end();
  assert.is(await afterZero, "confirmed");
});

test("a record that is always rejected fails alone, and the order is kept", async () => {
  const { requests, again, write } = givenSender();
  const first = write("first");
  const held = await requests.next();
  const writes = Promise.all([write("good"), write("bad"), write("also good")]);
  await turn();
  held.end();
  assert.is(await first, "confirmed");
  (await requests.next()).end(new RangeError("too large"));
  const later = write("later");
  for (const [value, failure] of [
    ["good", undefined],
    ["bad", new RangeError("too large")],
    ["also good", undefined],
  ] as const) {
    const { values, end } = await again.next();
    assert.equal(values, [value]);
    end(failure);
  }
  assert.equal(await writes, ["confirmed", "too large", "confirmed"]);
  (await requests.next()).end();
  assert.is(await later, "confirmed");
});

test("records that are added together fail one by one, in requests of the largest size", async () => {
  const { sender, requests, again } = givenSender(300);
  const outcomes: unknown[] = [];
  const listener = {
    confirm: (index: number) => outcomes.push([index, "confirmed"]),
    fail: (index: number, error: unknown) => outcomes.push([index, String(error)]),
  };
  for (const [index, value] of ["good", "bad", "also good", "large".padEnd(200)].entries()) {
    const record = recordFromMessage(Message.fromText(value), "", () => noHeaders);
    sender.add({ topic: "orders", partition: 0, record, size: recordSize(record), listener, index });
  }
  assert.is(sender.pending("orders", 0), 4);
  const { values, end } = await requests.next();
  assert.equal(values, ["good", "bad", "also good"]);
  end(new RangeError("too large"));
  for (const failure of [undefined, new RangeError("bad"), undefined]) (await again.next()).end(failure);
  (await requests.next()).end();
  await sender.idle();
  assert.equal(outcomes, [
    [0, "confirmed"],
    [1, "RangeError: bad"],
    [2, "confirmed"],
    [3, "confirmed"],
  ]);
  assert.is(sender.pending("orders", 0), 0);
});

test("a permanent failure fails all records written together", async () => {
  const { sender, requests, again, write } = givenSender();
  const together = Promise.all([write("a"), write("b")]);
  (await requests.next()).end(new Error("no leader"));
  const { failure, end } = await again.next();
  assert.is(failure, "Error: no leader");
  end(new Error("given up"));
  assert.equal(await together, ["given up", "given up"]);
  await sender.idle();
});

test.run();
