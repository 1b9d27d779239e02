// Brokers that send more than the client allows.

import type { createServer } from "node:net";
import rhea, { type Sender } from "rhea";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { largestAmqpMessage, largestFrame } from "../../../runtime/connectors/amqp-1/inbound-limits.ts";
import { amqp1Input } from "../../../runtime/connectors/amqp-1/input.ts";
import { until } from "../../harness/wait.ts";
import { inputContext } from "./contexts.ts";

const test = suite("amqp 1.0 limits");

/** Starts a broker that accepts the link of every receiver, and calls `onLink` when it may send. */
async function givenBroker(onLink: (link: BrokerLink) => void) {
  const container = rhea.create_container();
  container.once("sendable", ({ connection, sender }) => {
    const { socket, remote } = connection as unknown as Wire;
    onLink({
      sender,
      socket,
      reported: { frame: remote.open.max_frame_size, message: sender.remote.attach.max_message_size ?? 0 },
    });
  });
  for (const event of ["disconnected", "connection_error", "error"]) container.on(event, () => undefined);
  const server = container.listen({ host: "127.0.0.1", port: 0 }) as ReturnType<typeof createServer>;
  await until(() => server.listening);
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the broker has no port");
  return { url: `amqp://127.0.0.1:${address.port}`, close: () => server.close() };
}

interface Wire {
  readonly socket: import("node:net").Socket;
  readonly remote: { readonly open: { readonly max_frame_size: number } };
}

interface BrokerLink {
  readonly sender: Sender;
  readonly socket: Wire["socket"];
  readonly reported: { readonly frame: number; readonly message: number };
}

test("a frame whose announced size is above the limit closes the connection before it is received", async () => {
  const links: BrokerLink[] = [];
  const broker = await givenBroker((link) => {
    links.push(link);
    const header = Buffer.alloc(8);
    header.writeUInt32BE(largestFrame + 1);
    header.writeUInt8(2, 4);
    link.socket.write(Buffer.concat([header, Buffer.alloc(1024)]));
  });
  const context = inputContext();
  const input = amqp1Input({ urls: [broker.url], source_address: "/orders" });
  await input.start(context);
  const reason = `the broker sent a frame of more than ${largestFrame} bytes`;
  await until(() => JSON.stringify(context.lines).includes(reason), { what: "the reason in the log" });
  await until(() => links[0]?.socket.destroyed === true, { what: "the end of the connection" });
  assert.equal(links[0]?.reported, { frame: largestFrame, message: largestAmqpMessage });
  await input.close();
  broker.close();
});

test("a message that grows above the limit closes the connection before it is complete", async () => {
  const links: BrokerLink[] = [];
  const broker = await givenBroker((link) => {
    links.push(link);
    link.sender.send({ body: Buffer.alloc(largestAmqpMessage + 2 * largestFrame) });
  });
  const context = inputContext();
  const input = amqp1Input({ urls: [broker.url], source_address: "/orders" });
  await input.start(context);
  const reason = `the broker sent a message of more than ${largestAmqpMessage} bytes`;
  await until(() => JSON.stringify(context.lines).includes(reason), { what: "the reason in the log" });
  await until(() => links[0]?.socket.destroyed === true, { what: "the end of the connection" });
  await input.close();
  broker.close();
});

test.run();
