import { generateKeyPairSync, verify } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SocketConnection } from "../../../runtime/connectors/websocket/connection.ts";
import type { WebsocketInputOptions } from "../../../runtime/connectors/websocket/generated/input-options.ts";
import { websocketInput } from "../../../runtime/connectors/websocket/input.ts";
import { websocketOutput } from "../../../runtime/connectors/websocket/output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { basicCredentials } from "../../../runtime/requests/basic-credentials.ts";
import { oauthSignature } from "../../../runtime/requests/oauth.ts";
import { createProxy } from "../../../runtime/requests/proxy.ts";
import { signedToken } from "../../../runtime/requests/signed-token.ts";
import { createCertificates } from "../../harness/certificates.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { httpProxy } from "../../harness/http-proxy.ts";
import { freePort } from "../../harness/ports.ts";
import type { Queue } from "../../harness/queue.ts";
import { startTcpProxy } from "../../harness/tcp-proxy.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, componentContext, inputContext, outagesInto } from "./contexts.ts";
import { type Peer, startServer } from "./websocket-peer.ts";

const test = suite("websocket");
const certificates = await createCertificates();
const { authority, client, stranger } = certificates;

/** Returns what the server sees of an output with these options, or why the output cannot start. */
async function seen(options: Partial<WebsocketInputOptions>, server: { url: string; peers: Queue<Peer> }) {
  const output = websocketOutput({ url: server.url, ...options });
  try {
    await output.start(componentContext());
    return await server.peers.next();
  } catch (error) {
    return error instanceof GatewayError ? error.message : String(error);
  } finally {
    await output.close();
  }
}

async function headersSeen(
  options: Partial<WebsocketInputOptions>,
  server: { url: string; peers: Queue<Peer> },
) {
  const peer = await seen(options, server);
  if (typeof peer === "string") throw new Error(peer);
  return peer.headers;
}

test("text and binary frames become messages, from the very first", async () => {
  const server = await startServer({ greeting: "hello" });
  const context = inputContext();
  const input = websocketInput({ url: server.url });
  await input.start(context);
  const { socket } = await server.peers.next();
  socket.send("text");
  socket.send(Buffer.from([0xff, 0]));
  const [first, second, third] = await context.deliveries.take(3);
  assert.equal([first?.text, second?.text], ["hello", "text"]);
  assert.equal([...(third?.batch[0]?.bytes() ?? [])], [0xff, 0]);
  for (const { confirm } of context.deliveries.all) confirm();
  const closed = once(socket, "close");
  await input.close();
  assert.is((await closed)[0], 1000);
  await input.close();
  await server.close();
});

test("open messages are sent on each connection, in the configured type and order", async () => {
  const server = await startServer();
  for (const type of ["binary", "text"] as const) {
    const input = websocketInput({
      url: server.url,
      open_message: "zero",
      open_messages: ["one", "two"],
      ...(type === "text" && { open_message_type: type }),
    });
    await input.start(inputContext());
    for (let connection = 0; connection < 2; connection++) {
      const { socket, frames } = await server.peers.next();
      const texts = ["zero", "one", "two"].map((text) => ({ text, isBinary: type === "binary" }));
      assert.equal(await frames.take(3), texts);
      if (connection === 0) socket.terminate();
    }
    await input.close();
  }
  await server.close();
});

test("messages are sent in order, as binary frames", async () => {
  const server = await startServer();
  const output = websocketOutput({ url: server.url });
  await output.start(componentContext());
  const { frames } = await server.peers.next();
  await Promise.all(["a", "b"].map((text) => output.write(batchOf(text, `${text}2`))));
  assert.equal(
    await frames.take(4),
    ["a", "a2", "b", "b2"].map((text) => ({ text, isBinary: true })),
  );
  await output.close();
  assert.match(String(await output.write(batchOf("late")).catch(String)), /not connected/);
  await server.close();
});

test("URL and headers are computed when connecting, and a user in the URL is sent", async () => {
  const server = await startServer();
  let connections = 0;
  const options = {
    url: () => `${server.url.replace("//", "//ann:s%3Ae@")}/orders?n=${++connections}`,
    headers: { "X-Gateway": "one", "X-Connection": () => String(connections) },
  };
  const input = websocketInput(options);
  await input.start(inputContext());
  const first = await server.peers.next();
  first.socket.terminate();
  const second = await server.peers.next();
  assert.equal([first.path, second.path], ["/orders?n=1", "/orders?n=2"]);
  assert.is(second.headers["x-gateway"], "one");
  assert.is(second.headers["x-connection"], "2");
  assert.is(second.headers.authorization, `Basic ${btoa("ann:s:e")}`);
  await input.close();
  const bad = await seen({ headers: { "X-A": "a\nb" } }, server);
  assert.match(String(bad), /`X-A` holds characters/);
  await server.close();
});

test("connections authenticate by user, by token and by signature", async () => {
  const server = await startServer();
  const basic = basicCredentials({ enabled: true, username: "ann", password: "secret" });
  assert.is((await headersSeen({ basic_auth: basic }, server)).authorization, `Basic ${btoa("ann:secret")}`);

  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const file = join(temporaryDirectory("keys"), "signing.key");
  writeFileSync(file, privateKey.export({ type: "pkcs8", format: "pem" }));
  const jwt = signedToken({
    enabled: true,
    private_key_file: file,
    signing_method: "EdDSA",
    claims: { sub: "gateway" },
  });
  const token = (await headersSeen({ jwt }, server)).authorization?.replace("Bearer ", "") ?? "";
  const [head = "", body = "", signature = ""] = token.split(".");
  assert.is(JSON.parse(Buffer.from(body, "base64url").toString()).sub, "gateway");
  assert.ok(verify(null, Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature, "base64url")));

  const oauth = oauthSignature({ enabled: true, consumer_key: "key", consumer_secret: "secret" });
  const signed = await headersSeen({ oauth, url: `${server.url}/a?b=c` }, server);
  assert.match(signed.authorization ?? "", /^OAuth oauth_consumer_key="key".*oauth_signature="/);
  await server.close();
});

test("a rejected handshake is reported with its status", async () => {
  const server = await startServer({ refuse: 401 });
  assert.is(await seen({}, server), "The WebSocket server answered with status 401");
  const nobody = `ws://127.0.0.1:${await freePort()}`;
  assert.is(await seen({ url: nobody }, server), "The WebSocket server cannot be reached (ECONNREFUSED)");
  assert.match(String(await seen({ url: "http://localhost" }, server)), /not one of WebSockets/);
  await server.close();
});

const trusted = {
  enabled: true,
  root_cas_file: authority.certFile,
  client_certs: [{ cert_file: client.certFile, key_file: client.keyFile }],
};

test("connections are encrypted, with the client's certificate, also with a ws:// URL", async () => {
  const server = await startServer({ certificates });
  assert.not.type(await seen({ tls: trusted }, server), "string");
  assert.not.type(await seen({ tls: trusted, url: server.url.replace("wss", "ws") }, server), "string");
  assert.match(String(await seen({}, server)), /cannot be reached \((UNABLE|SELF_SIGNED)/);
  const strange = { ...trusted, root_cas_file: stranger.certFile };
  assert.match(String(await seen({ tls: strange }, server)), /cannot be reached \((UNABLE|SELF_SIGNED)/);
  assert.match(
    String(await seen({ tls: { ...trusted, client_certs: [] } }, server)),
    /cannot be reached|lost/,
  );
  await server.close();
});

for (const tls of [false, true]) {
  test(`connections use a proxy, ${tls ? "encrypted" : "in the clear"}`, async () => {
    const server = await startServer(tls ? { certificates } : {});
    const authorization = `Basic ${btoa("ann:secret")}`;
    const proxy = await httpProxy(authorization);
    const options = {
      proxy_url: createProxy(proxy.url.replace("//", "//ann:secret@")),
      ...(tls && { tls: trusted }),
    };
    const context = inputContext();
    const input = websocketInput({ url: server.url, ...options });
    await input.start(context);
    const { socket } = await server.peers.next();
    socket.send("through");
    const { text, confirm } = await context.deliveries.next();
    assert.is(text, "through");
    confirm();
    const asked = proxy.requests.map(({ method, target }) => `${method} ${target}`);
    assert.equal(asked, [`CONNECT localhost:${server.port}`]);
    await input.close();
    const refused = await seen({ ...options, proxy_url: createProxy(proxy.url) }, server);
    assert.is(refused, "The proxy answered with status 407");
    await proxy.close();
    await server.close();
  });
}

test("the port of a URL is kept when a `tls` block encrypts", async () => {
  const server = await startServer({ certificates });
  const proxy = await httpProxy();
  for (const [address, port] of [
    ["ws://localhost:80", 80],
    ["ws://localhost", 443],
    ["wss://localhost:443", 443],
  ] as const) {
    await seen({ url: address, proxy_url: createProxy(proxy.url), tls: trusted }, server);
    assert.is(proxy.requests.at(-1)?.target, `localhost:${port}`, address);
  }
  await proxy.close();
  await server.close();
});

test("a rejected message is redelivered, or given up without auto_replay_nacks", async () => {
  const server = await startServer();
  for (const auto_replay_nacks of [true, false]) {
    const context = inputContext();
    const input = websocketInput({ url: server.url, auto_replay_nacks });
    await input.start(context);
    const { socket } = await server.peers.next();
    socket.send("bad");
    (await context.deliveries.next()).refuse(new GatewayError(502, "not now"));
    if (auto_replay_nacks) (await context.deliveries.next()).confirm();
    await input.close();
    assert.is(context.deliveries.all.length, auto_replay_nacks ? 2 : 1);
  }
  await server.close();
});

test("reading from a server pauses while 64 of its frames are in flight", async () => {
  const server = await startServer();
  const context = inputContext();
  const input = websocketInput({ url: server.url });
  await input.start(context);
  const { socket } = await server.peers.next();
  const frame = "x".repeat(100_000);
  for (let index = 0; index < 1000; index++) socket.send(frame);
  await context.deliveries.take(64);
  // Frames that were parsed together with the last one may still arrive; the rest stays at the server.
  await until(() => socket.bufferedAmount > 0);
  assert.ok(context.deliveries.all.length < 128, String(context.deliveries.all.length));
  for (let index = 0; index < 1000; index++) (await until(() => context.deliveries.all[index])).confirm();
  await input.close();
  await server.close();
});

test("a lost connection is re-established, and messages in flight are delivered", async () => {
  const place = { port: await freePort() };
  const first = await startServer(place);
  const reports: (string | undefined)[] = [];
  const context = { ...inputContext(), beginOutage: outagesInto(reports) };
  const writer = componentContext();
  const input = websocketInput({ url: first.url });
  const output = websocketOutput({ url: first.url });
  await input.start(context);
  const reading = await first.peers.next();
  await output.start(writer);
  reading.socket.send("before");
  const before = await context.deliveries.next();
  await first.close();
  await until(() => reports.length === 1);
  await until(() => writer.lines.some(({ message }) => message.includes("connection lost")));
  assert.match(String(await output.write(batchOf("meanwhile")).catch(String)), /not connected/);
  before.confirm();
  const second = await startServer(place);
  const peers = await second.peers.take(2);
  await until(() => reports.length === 2);
  assert.equal(reports, ["the connection to the WebSocket server is lost", undefined]);
  for (const { socket } of peers) socket.send("after");
  const after = await context.deliveries.next();
  assert.is(after.text, "after");
  after.confirm();
  await until(() => writer.lines.some(({ message }) => message.endsWith("again")));
  await output.write(batchOf("written"));
  await until(() => peers.some(({ frames }) => frames.all.some(({ text }) => text === "written")));
  await input.close();
  await output.close();
  await second.close();
});

test("the input ends when the maximum of reconnection attempts is reached", async () => {
  const server = await startServer();
  let ended = 0;
  const context = { ...inputContext(), reportEnd: () => void ended++ };
  const input = websocketInput({ url: server.url, connection: { max_retries: 1 } });
  await input.start(context);
  const { socket } = await server.peers.next();
  socket.send("last");
  const { confirm } = await context.deliveries.next();
  await server.close();
  await until(() => context.lines.some(({ message }) => message.includes("gave up")));
  assert.is(ended, 0, "not before all is confirmed");
  confirm();
  await until(() => ended === 1);
  await input.close();

  const never = { ...inputContext(), reportEnd: () => void ended++ };
  const vain = websocketInput({ url: server.url, connection: { max_retries: 0 } });
  await vain.start(never);
  await until(() => ended === 2);
  await vain.close();
});

test("an unflushed write fails when the connection breaks", async () => {
  const server = await startServer();
  const proxy = await startTcpProxy(server.port);
  const output = websocketOutput({ url: `ws://localhost:${proxy.port}` });
  await output.start(componentContext());
  await server.peers.next();
  proxy.freeze();
  const large = "x".repeat(1_000_000);
  const writes = Array.from({ length: 20 }, () => output.write(batchOf(large)).catch(String));
  proxy.reset();
  const failures = (await Promise.all(writes)).filter((result) => typeof result === "string");
  assert.ok(failures.length > 0);
  assert.match(failures[0] ?? "", /connection to the WebSocket server was lost/);
  await output.close();
  await proxy.close();
  await server.close();
});

test("a server that vanishes silently is detected by missing pongs", async () => {
  const server = await startServer();
  const proxy = await startTcpProxy(server.port);
  const context = componentContext();
  const settings = { url: `ws://localhost:${proxy.port}` };
  const liveness = { pingPeriod: 20, pongWait: 200 };
  const connection = new SocketConnection({ settings, prepare: () => undefined }, context, liveness);
  await connection.start();
  const { socket } = await server.peers.next();
  for (let pings = 0; pings < 20; pings++) await once(socket, "ping");
  assert.not.ok(
    context.lines.some(({ message }) => message.includes("lost")),
    "pongs are signs of life",
  );
  proxy.freeze();
  await server.peers.next();
  assert.ok(context.lines.some(({ message }) => message.includes("lost")));
  await connection.close();
  await proxy.close();
  await server.close();
});

test("an input can be closed while it reconnects", async () => {
  const server = await startServer();
  const context = inputContext();
  const input = websocketInput({ url: server.url });
  await input.start(context);
  await server.peers.next();
  await server.close();
  await until(() => context.lines.some(({ message }) => message.includes("connection lost")));
  await input.close();
});

test.run();
