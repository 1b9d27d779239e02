// Messages that an AMQP 1.0 broker does not accept, among others that it does. The broker is a peer in this process.

import type { createServer } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import rhea, { type EventContext } from "rhea";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UnfitMessages } from "../../../runtime/component/unfit-messages.ts";
import { amqp1Output } from "../../../runtime/connectors/amqp-1/output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, componentContext, textOfBatch } from "./contexts.ts";

const test = suite("refused messages of amqp_1");

/** Starts a broker that gives each message the outcome that its text names; returns what it accepted, too. */
async function givenBroker(largest?: number) {
  const container = rhea.create_container({
    receiver_options: { autoaccept: false, ...(largest !== undefined && { max_message_size: largest }) },
  });
  const accepted: string[] = [];
  const settle = ({ message, delivery, receiver }: EventContext) => {
    const text = String(message?.body?.content ?? message?.body);
    const [outcome, condition = ""] = text.split(" ");
    if (outcome === "rejected")
      delivery?.reject(condition === "" ? undefined : { condition, description: "no" });
    else if (outcome === "released") delivery?.release();
    else if (outcome === "modified") delivery?.modified({ delivery_failed: true, undeliverable_here: true });
    else if (outcome === "detached") receiver?.close({ condition, description: "no" });
    else {
      accepted.push(text);
      delivery?.accept();
    }
  };
  let settled: Promise<unknown> = Promise.resolve();
  // One in each turn: the library of this peer sends the outcomes of a turn as one.
  container.on("message", (context: EventContext) => {
    settled = settled.then(() => nextTurn()).then(() => settle(context));
  });
  for (const event of ["disconnected", "connection_error", "error"]) container.on(event, () => undefined);
  const server = container.listen({ host: "127.0.0.1", port: 0 }) as ReturnType<typeof createServer>;
  await until(() => server.listening);
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the broker has no port");
  return { url: `amqp://127.0.0.1:${address.port}`, accepted, close: () => server.close() };
}

async function open(url: string) {
  const output = amqp1Output({ urls: [url], target_address: "/orders" });
  const outages: string[] = [];
  const context = componentContext();
  await output.start({
    ...context,
    beginOutage: (reason) => {
      outages.push(reason);
      return () => undefined;
    },
  });
  const failureOf = async (batch: ReturnType<typeof batchOf>) => {
    const failure = await output.write(batch).catch((error: unknown) => error);
    assert.instance(failure, GatewayError);
    return failure as GatewayError;
  };
  return { output, outages, lines: context.lines, failureOf };
}

test("messages that the broker can never accept fail for good, and the others are delivered", async () => {
  const broker = await givenBroker();
  const { output, failureOf } = await open(broker.url);
  const texts = [
    "accepted 1",
    "rejected amqp:decode-error",
    "accepted 2",
    "rejected amqp:link:message-size-exceeded",
  ];
  const failure = await failureOf(batchOf(...texts));
  if (!(failure instanceof UnfitMessages)) throw failure;
  assert.equal(
    [...failure.failures].map(([message, { message: text }]) => `${textOfBatch([message])}: ${text}`),
    [texts[1], texts[3]].map(
      (text) => `${text}: The AMQP broker rejected the message (${text?.split(" ")[1]})`,
    ),
  );
  assert.ok(failure.othersDelivered);
  assert.equal(broker.accepted, ["accepted 1", "accepted 2"]);
  await output.close();
  broker.close();
});

test("messages that the broker does not accept now are retried", async () => {
  const broker = await givenBroker();
  const { output, outages, failureOf } = await open(broker.url);
  for (const [text, reason] of [
    ["rejected", "The AMQP broker rejected the message"],
    ["rejected amqp:not-allowed", "The AMQP broker rejected the message (amqp:not-allowed)"],
    ["released", "The AMQP broker did not accept the message"],
    ["modified", "The AMQP broker did not accept the message"],
  ] as const) {
    const failure = await failureOf(batchOf("accepted", text, "rejected amqp:decode-error"));
    assert.equal([failure.message, failure.retryable], [reason, true]);
  }
  assert.is(broker.accepted.length, 4);
  assert.equal(outages, []);
  await output.close();
  broker.close();
});

test("a message larger than the broker says it accepts fails for good without being sent", async () => {
  const broker = await givenBroker(1000);
  const { output, outages, failureOf } = await open(broker.url);
  const batch = batchOf("accepted", "x".repeat(1001));
  const failure = await failureOf(batch);
  if (!(failure instanceof UnfitMessages)) throw failure;
  assert.equal([[...failure.failures.keys()], failure.status], [[batch[1]], 422]);
  assert.equal([broker.accepted, outages], [[], []]);
  await output.write(batchOf("accepted"));
  await output.close();
  broker.close();
});

for (const condition of ["amqp:not-found", "amqp:unauthorized-access"]) {
  test(`a link that the broker closes (${condition}) is logged with that reason, and its messages are retried`, async () => {
    const broker = await givenBroker();
    const { output, lines, failureOf } = await open(broker.url);
    const failure = await failureOf(batchOf("accepted", `detached ${condition}`));
    assert.equal([failure.message, failure.retryable], ["The connection to the AMQP broker was lost", true]);
    await until(() => JSON.stringify(lines).includes(condition), { what: "the reason in the log" });
    await until(
      async () => (await output.write(batchOf("accepted again")).catch(() => undefined)) !== undefined,
    );
    await output.close();
    broker.close();
  });
}

test.run();
