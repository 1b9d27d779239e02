import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { socketInput } from "../../../runtime/connectors/socket/input.ts";
import { socketOutput } from "../../../runtime/connectors/socket/output.ts";
import { socketServerInput } from "../../../runtime/connectors/socket/server/input.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { freePort } from "../../harness/ports.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, componentContext, inputContext, outagesInto } from "./contexts.ts";

const test = suite("socket");

/** Starts a server that records its connections and what they send. */
async function listening() {
  const sockets: Socket[] = [];
  const state = { text: "" };
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("data", (data) => {
      state.text += data.toString();
    });
    socket.on("error", () => undefined);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { address: `127.0.0.1:${port}`, sockets, state, close };
}

test("input: lines of a server are read, and a lost connection is re-established", async () => {
  const server = await listening();
  const outages: (string | undefined)[] = [];
  const context = { ...inputContext(), beginOutage: outagesInto(outages) };
  const input = socketInput({ network: "tcp", address: server.address });
  await input.start(context);
  const first = await until(() => server.sockets[0], { what: "a connection" });
  first.write("a\nb\nc");
  for (const text of ["a", "b"]) {
    const delivery = await context.deliveries.next();
    assert.is(delivery.text, text);
    delivery.confirm();
  }
  first.destroy();
  const rest = await context.deliveries.next();
  assert.is(rest.text, "c", "what comes before the end is a message, too");
  rest.confirm();
  const second = await until(() => server.sockets[1], { what: "another connection" });
  second.write("d\n");
  (await context.deliveries.next()).confirm();
  assert.equal(outages, ["the connection of the socket is lost", undefined]);
  await input.close();
  server.close();
  const refused = await socketInput({ network: "tcp", address: server.address })
    .start(inputContext())
    .catch((error: unknown) => error);
  assert.instance(refused, GatewayError);
});

test("output: messages are written with delimiters, and a lost connection is replaced", async () => {
  const server = await listening();
  const output = socketOutput({ network: "tcp", address: server.address, codec: "delim:|" });
  await output.start(componentContext());
  await output.write(batchOf("a", "b"));
  await until(() => server.state.text === "a|b|", { what: "the messages" });
  server.sockets[0]?.destroy();
  await until(
    () =>
      output.write(batchOf("c")).then(
        () => server.sockets.length === 2,
        () => false,
      ),
    { what: "another connection" },
  );
  await output.close();
  server.close();
});

test("output: each datagram is a message", async () => {
  const peer = createSocket("udp4");
  peer.bind(0, "127.0.0.1");
  await once(peer, "listening");
  const got: string[] = [];
  peer.on("message", (data) => got.push(data.toString()));
  const output = socketOutput({ network: "udp", address: `127.0.0.1:${peer.address().port}` });
  await output.start(componentContext());
  await output.write(batchOf("a", "b"));
  await until(() => got.length === 2, { what: "the datagrams" });
  assert.equal(got.sort(), ["a\n", "b\n"]);
  await output.close();
  peer.close();
});

test("server: each connection is read in order, concurrently with the others", async () => {
  const path = join(temporaryDirectory(), "in.sock");
  const context = inputContext();
  const input = socketServerInput({ network: "unix", address: path });
  await input.start(context);
  const [one, two] = [connect(path), connect(path)];
  one.write("1a\n1b\n");
  two.write("2a\n");
  const deliveries = await context.deliveries.take(2);
  assert.equal(deliveries.map(({ text }) => text).sort(), ["1a", "2a"]);
  for (const delivery of deliveries) delivery.confirm();
  const next = await context.deliveries.next();
  assert.is(next.text, "1b");
  next.confirm();
  two.write("x".repeat(70_000));
  await until(() => context.lines.some(({ message }) => message === "a connection is dropped"), {
    what: "a line that is too long to be refused",
  });
  one.on("error", () => undefined);
  two.on("error", () => undefined);
  await input.close();
});

test("server: datagrams are read, and invalid addresses are rejected", async () => {
  const port = await freePort();
  const context = inputContext();
  const input = socketServerInput({ network: "udp", address: `127.0.0.1:${port}` });
  await input.start(context);
  const peer = createSocket("udp4");
  peer.send("a\nb", port, "127.0.0.1");
  for (const text of ["a", "b"]) {
    const delivery = await context.deliveries.next();
    assert.is(delivery.text, text);
    delivery.confirm();
  }
  peer.close();
  await input.close();
  for (const address of ["nowhere", "a:b", "127.0.0.1:70000"])
    assert.throws(() => socketInput({ network: "tcp", address }), /is not the address of a socket/);
});

test.run();
