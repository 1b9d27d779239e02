// A channel whose broker is this test: RabbitMQ does not return messages at a moment that a test could choose.

import { EventEmitter } from "node:events";
import type { ConfirmChannel, Options } from "amqplib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CountedWrite } from "../../../runtime/component/outcomes.ts";
import { AmqpPublications } from "../../../runtime/connectors/amqp-0-9/publications.ts";
import { Message } from "../../../runtime/message/message.ts";

const test = suite("returned messages of amqp_0_9");

/** Publishes messages with the same content, returns some as a broker would, and confirms all. */
async function outcomesOf(sent: readonly Options.Publish[], returned: readonly Options.Publish[]) {
  const confirmations: (() => void)[] = [];
  const channel = Object.assign(new EventEmitter(), {
    publish: (...[, , , , confirmed]: Parameters<ConfirmChannel["publish"]>) =>
      confirmations.push(() => confirmed?.(null, {})),
  });
  const publications = new AmqpPublications(channel as unknown as ConfirmChannel, () => undefined);
  const content = Buffer.from("same");
  const fields = { exchange: "shop", routingKey: "new" };
  const message = Message.fromText("same");
  const writes = sent.map((properties) => {
    const outcome = new CountedWrite(1);
    const publication = { message, exchange: "shop", key: "new", content };
    publications.send({
      publication: { ...publication, properties: { ...properties, mandatory: true } },
      outcome,
    });
    return outcome.settled;
  });
  for (const properties of returned) channel.emit("return", { fields, properties, content });
  for (const confirm of confirmations) confirm();
  return (await Promise.allSettled(writes)).map(({ status }) => status);
}

test("of messages with the same content, the one with the properties of the returned one fails", async () => {
  const sent = [{ messageId: "1" }, { messageId: "2" }, { messageId: "2", priority: 3 }, { messageId: "3" }];
  assert.equal(await outcomesOf(sent, [{ messageId: "2", priority: 3, headers: {} }]), [
    "fulfilled",
    "fulfilled",
    "rejected",
    "fulfilled",
  ]);
});

test("of equal messages, as many fail as were returned", async () => {
  const equal = { headers: { a: "1" } };
  const outcomes = await outcomesOf([equal, { headers: { a: "2" } }, equal, equal], [equal, equal]);
  assert.equal(outcomes, ["rejected", "fulfilled", "rejected", "fulfilled"]);
});

test("a message that was returned with other headers is not confirmed", async () => {
  const returned = { headers: { a: "1", timestamp_in_ms: 1 } };
  assert.equal(await outcomesOf([{ headers: { a: "1" } }], [returned]), ["rejected"]);
});

test.run();
