import { test } from "uvu";
import * as assert from "uvu/assert";
import { websocketServerOutput } from "../../../runtime/connectors/websocket-server/output.ts";
import { joinAcknowledged } from "../../../runtime/sockets/acknowledged-client.ts";
import { until } from "../../harness/wait.ts";
import { type SocketClient, socket } from "../../harness/websocket-client.ts";
import { type Consuming, consuming } from "./consuming.ts";

const minute = 60_000;

/** Starts a gateway whose sockets acknowledge messages, and connects two clients. */
async function answering(
  ackTimeout: number,
): Promise<{ gateway: Consuming; clients: readonly SocketClient[] }> {
  const gateway = await consuming({ ws_path: "/socket", ack: joinAcknowledged, ack_timeout: ackTimeout });
  const clients = [await socket(gateway.at("/socket")), await socket(gateway.at("/socket"))];
  await until(() => gateway.clients() === 2);
  return { gateway, clients };
}

interface Frame {
  readonly id: string;
  readonly data: unknown;
  readonly encoding?: string;
}

async function nextFrame(client: SocketClient | undefined): Promise<Frame> {
  return JSON.parse(String(await client?.next()));
}

/** Records the outcome of a delivery as soon as it is settled. */
function follow(delivery: Promise<unknown>): { outcome: string } {
  const followed = { outcome: "open" };
  delivery.then(
    () => {
      followed.outcome = "confirmed";
    },
    (error: Error) => {
      followed.outcome = error.message;
    },
  );
  return followed;
}

test("a message is delivered when its client acknowledges it", async () => {
  const { gateway, clients } = await answering(minute);
  const delivery = follow(gateway.input.deliver('{"total": 12345678901234567890}'));
  const text = String(await clients[0]?.next());
  assert.is(text, '{"id":"1","data":{"total": 12345678901234567890}}');
  assert.is(delivery.outcome, "open");
  await clients[0]?.send('{"ack":"1"}');
  await until(() => delivery.outcome === "confirmed");
  await gateway.close();
});

test("text and bytes are distinguished from documents", async () => {
  const gateway = await consuming(() => websocketServerOutput({ path: "/socket", ack: joinAcknowledged }));
  const client = await socket(gateway.at("/socket"));
  void gateway.input.deliver('said "so"').catch(() => undefined);
  assert.equal(await nextFrame(client), { id: "1", data: 'said "so"' });
  await gateway.close();
});

test("a message that a client rejects goes to the other client", async () => {
  const { gateway, clients } = await answering(minute);
  const delivery = follow(gateway.input.deliver("a"));
  const { id } = await nextFrame(clients[0]);
  await clients[0]?.send(JSON.stringify({ nack: id }));
  const second = await nextFrame(clients[1]);
  assert.is(second.data, "a");
  await clients[1]?.send(JSON.stringify({ ack: second.id }));
  await until(() => delivery.outcome === "confirmed");
  await gateway.close();
});

test("a message that the only client rejects is redelivered after a pause", async () => {
  const { gateway, clients } = await answering(minute);
  await clients[1]?.close();
  await until(() => gateway.clients() === 1);
  const delivery = follow(gateway.input.deliver("a"));
  const first = await nextFrame(clients[0]);
  await clients[0]?.send(JSON.stringify({ nack: first.id }));
  const again = await nextFrame(clients[0]);
  assert.equal([again.data, again.id === first.id], ["a", false]);
  await clients[0]?.send(JSON.stringify({ ack: again.id }));
  await until(() => delivery.outcome === "confirmed");
  await gateway.close();
});

test("a message not acknowledged in time goes to the other client; a late acknowledgement is ignored", async () => {
  const { gateway, clients } = await answering(20);
  const delivery = follow(gateway.input.deliver("a"));
  const first = await nextFrame(clients[0]);
  const late = JSON.stringify({ ack: first.id });
  // On a slow machine this acknowledgement may also be late; the message is then sent again.
  for (let taken = 1; delivery.outcome === "open"; taken += 1) {
    const { id, data } = await nextFrame(clients[1]);
    assert.is(data, "a");
    await clients[0]?.send(late);
    await clients[1]?.send(JSON.stringify({ ack: id }));
    await until(() => delivery.outcome !== "open" || Number(clients[1]?.messages.length) > taken);
  }
  assert.is(delivery.outcome, "confirmed");
  await gateway.close();
});

test("unacknowledged messages of a client that disconnects go to the other client", async () => {
  const { gateway, clients } = await answering(minute);
  const delivery = follow(gateway.input.deliver("a"));
  await nextFrame(clients[0]);
  clients[0]?.socket.terminate();
  const { id, data } = await nextFrame(clients[1]);
  assert.is(data, "a");
  await clients[1]?.send(JSON.stringify({ ack: id }));
  await until(() => delivery.outcome === "confirmed");
  await gateway.close();
});

test("a client that sends invalid acknowledgements is disconnected, and its message is not lost", async () => {
  for (const said of ["so", "{}", '{"ack":{}}', "[]", "null"]) {
    const { gateway, clients } = await answering(minute);
    const delivery = follow(gateway.input.deliver("a"));
    await nextFrame(clients[0]);
    await clients[0]?.send(said);
    assert.is((await clients[0]?.ended)?.code, 1008);
    const { id } = await nextFrame(clients[1]);
    await clients[1]?.send(JSON.stringify({ ack: id }));
    await until(() => delivery.outcome === "confirmed");
    await gateway.close();
  }
});

test("a client that acknowledges nothing gets a bounded number of messages", async () => {
  const { gateway, clients } = await answering(minute);
  await clients[1]?.close();
  await until(() => gateway.clients() === 1);
  for (let index = 0; index < 100; index += 1) void gateway.input.deliver(`${index}`).catch(() => undefined);
  const got = await clients[0]?.take(64);
  await clients[0]?.send('{"ack":"1"}');
  assert.is(JSON.parse(String(await clients[0]?.next())).data, 64);
  assert.is(got?.length, 64);
  await gateway.close();
});

test.run();
