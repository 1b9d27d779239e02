import { once } from "node:events";
import { connect as connectTcp } from "node:net";
import { jetstreamManager } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { connect } from "@nats-io/transport-node";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Input } from "../../../runtime/component/component.ts";
import { natsInput } from "../../../runtime/connectors/nats/input.ts";
import { natsJetstreamInput } from "../../../runtime/connectors/nats/jetstream/input.ts";
import { natsKvInput } from "../../../runtime/connectors/nats/kv/input.ts";
import { nats } from "../../harness/brokers.ts";
import { unique } from "../../harness/names.ts";
import { inputContext } from "./contexts.ts";

const test = suite("nats headers");
const broker = await nats();
const name = unique("headers");
const connection = await connect({ servers: broker.address });
const manager = await jetstreamManager(connection);
await manager.streams.add({ name, subjects: [`${name}.stored`] });
await new Kvm(connection).create(name);

/** Header lines that servers forward although no client writes them. */
const unreadable = ["bad name: x", "\u0001: y", `${"n".repeat(200_000)}: z`];

/** Publishes bytes directly on a socket, because clients validate names. */
async function publish(subject: string, header: string): Promise<void> {
  const { hostname, port } = new URL(broker.address);
  const socket = connectTcp(Number(port), hostname);
  const head = `NATS/1.0\r\n${header}\r\n\r\n`;
  const sizes = `${head.length} ${head.length + 2}`;
  socket.write(
    `CONNECT {"verbose":false,"headers":true}\r\nHPUB ${subject} ${sizes}\r\n${head}hi\r\nPING\r\n`,
  );
  for await (const bytes of socket) if (String(bytes).includes("PONG")) break;
  socket.destroy();
  if (!socket.closed) await once(socket, "close");
}

const inputs: Readonly<Record<string, { readonly subject: string; make(): Input }>> = {
  nats: {
    subject: `${name}.core`,
    make: () => natsInput({ urls: [broker.address], subject: `${name}.core` }),
  },
  nats_jetstream: {
    subject: `${name}.stored`,
    make: () => natsJetstreamInput({ urls: [broker.address], stream: name, deliver: "new" }),
  },
  nats_kv: {
    subject: `$KV.${name}.key`,
    make: () => natsKvInput({ urls: [broker.address], bucket: name }),
  },
};

for (const [kind, { subject, make }] of Object.entries(inputs)) {
  test(`${kind}: malformed headers fail their message alone`, async () => {
    const context = inputContext();
    const input = make();
    await input.start(context);
    // JetStream stores headers of at most 64 KiB.
    const sent = unreadable.filter(({ length }) => kind === "nats" || length < 65_536);
    for (const header of [...sent, "Ok: fine"]) {
      await publish(subject, header);
      const { batch, text, confirm } = await context.deliveries.next();
      const isRight = header.startsWith("Ok");
      assert.is(text, "hi");
      const reason = isRight ? undefined : "The headers of the NATS message cannot be read";
      assert.is(batch[0]?.failure?.message, reason, header.slice(0, 20));
      if (isRight && kind !== "nats_kv") assert.is(batch[0]?.metadata.get("Ok"), "fine");
      confirm();
    }
    await input.close();
  });
}

test("the broker stops", async () => {
  await manager.streams.delete(name);
  await manager.streams.delete(`KV_${name}`);
  await connection.close();
  await broker.stop();
});

test.run();
