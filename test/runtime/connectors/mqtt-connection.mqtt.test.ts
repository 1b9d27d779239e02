import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer as createWebServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream";
import { connectAsync } from "mqtt";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createWebSocketStream, type WebSocket, WebSocketServer } from "ws";
import type { MqttInputOptions } from "../../../runtime/connectors/mqtt/generated/input-options.ts";
import type { MqttOutputOptions } from "../../../runtime/connectors/mqtt/generated/output-options.ts";
import { mqttInput } from "../../../runtime/connectors/mqtt/input.ts";
import { mqttOutput } from "../../../runtime/connectors/mqtt/output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { largestClientMessage } from "../../../runtime/sockets/client-limits.ts";
import { startMosquitto } from "../../harness/brokers/mosquitto.ts";
import { createCertificates } from "../../harness/certificates.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { freePort } from "../../harness/ports.ts";
import { run } from "../../harness/processes.ts";
import { Queue } from "../../harness/queue.ts";
import { startTcpProxy } from "../../harness/tcp-proxy.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, componentContext, inputContext } from "./contexts.ts";

const test = suite("mqtt connections");
const broker = await startMosquitto();
const urls = [broker.address];
const certificates = await createCertificates();
const { authority, client, lockedClient, server, stranger } = certificates;

/** Starts and stops an input. Returns what the broker logs about the client with that name. */
async function clientSeen(options: Partial<MqttInputOptions>, name: string): Promise<string> {
  const input = mqttInput({ urls, topics: [randomUUID()], ...options });
  await input.start(inputContext());
  await input.close();
  const line = await until(() =>
    broker.log().match(new RegExp(`New client connected from \\S+ as (${name}\\S* \\(.*\\))`)),
  );
  return line[1] ?? "";
}

/** Sends one message through an output and an input with the same options. */
async function roundTrip(options: Partial<MqttInputOptions> & Partial<MqttOutputOptions>): Promise<string> {
  const topic = randomUUID();
  const context = inputContext();
  const input = mqttInput({ urls, topics: [topic], ...options });
  const output = mqttOutput({ urls, topic, ...options });
  try {
    await input.start(context);
    await output.start(componentContext());
    await output.write(batchOf("hello"));
    const { text, confirm } = await context.deliveries.next();
    confirm();
    return text;
  } catch (error) {
    return error instanceof GatewayError ? error.message : String(error);
  } finally {
    await output.close();
    await input.close();
  }
}

test("CONNECT carries the client id, keep-alive, user, version and clean session flag", async () => {
  const id = `k${randomUUID().slice(0, 8)}`;
  const options = {
    client_id: id,
    keepalive: 7,
    user: "ann",
    protocol_version: 5,
    clean_session: false,
  } as const;
  assert.is(await clientSeen(options, id), `${id} (p5, c0, k7, u'ann')`);
  const other = `k${randomUUID().slice(0, 8)}`;
  assert.is(await clientSeen({ client_id: other }, other), `${other} (p2, c1, k30)`);
});

test("a client id gets another suffix at each start if configured", async () => {
  const seen = new Set<string>();
  for (let start = 0; start < 2; start++) {
    const id = `s${randomUUID().slice(0, 8)}`;
    const line = await clientSeen({ client_id: id, dynamic_client_id_suffix: "nanoid" }, id);
    const suffix = line.slice(id.length, line.indexOf(" "));
    assert.match(suffix, /^[\w-]{21}$/);
    seen.add(suffix);
  }
  assert.is(seen.size, 2);
});

test("the next address is tried if one fails, also in a comma-separated string", async () => {
  const dead = await freePort();
  assert.is(await roundTrip({ urls: [`tcp://127.0.0.1:${dead}, ${broker.address}`] }), "hello");
  assert.is(await roundTrip({ urls: [`tcp://127.0.0.1:${dead}`, `127.0.0.1:${broker.port}`] }), "hello");
  assert.match(await roundTrip({ urls: [`tcp://127.0.0.1:${dead}`] }), /cannot be reached \(ECONNREFUSED\)/);
});

test("connecting to a server that never answers fails after connect_timeout", async () => {
  const silent = createServer(() => undefined);
  await once(silent.listen(0, "127.0.0.1"), "listening");
  const { port } = silent.address() as AddressInfo;
  const input = mqttInput({ urls: [`mqtt://127.0.0.1:${port}`], topics: ["a"], connect_timeout: 50 });
  const failure = await input.start(inputContext()).catch((error: unknown) => error);
  assert.instance(failure, GatewayError);
  silent.close();
});

test("the will is published when the connection breaks, and not when it is closed", async () => {
  const topic = randomUUID();
  const peer = await connectAsync(broker.address);
  await peer.subscribeAsync(topic, { qos: 1 });
  const wills: { text: string; qos: number }[] = [];
  peer.on("message", (_, payload, { qos }) => wills.push({ text: payload.toString(), qos }));
  const proxy = await startTcpProxy(broker.port);
  const will = { enabled: true, topic, payload: "gone", qos: 1, retained: true };
  const input = mqttInput({ urls: [`mqtt://127.0.0.1:${proxy.port}`], topics: ["a"], will });
  const output = mqttOutput({ urls, topic: "a", will: { ...will, payload: "never" } });
  await input.start(inputContext());
  await output.start(componentContext());
  await output.close();
  proxy.reset();
  await until(() => wills.length > 0);
  assert.equal(wills, [{ text: "gone", qos: 1 }]);
  await input.close();
  await proxy.close();
  const late = inputContext();
  const reader = mqttInput({ urls, topics: [topic] });
  await reader.start(late);
  const { text, batch, confirm } = await late.deliveries.next();
  assert.equal([text, batch[0]?.metadata.get("mqtt_retained")], ["gone", true]);
  confirm();
  await reader.close();
  await peer.endAsync();
});

/** The types of packets, by their first byte. */
const packetNames: ReadonlyMap<number, string> = new Map([
  [0x10, "CONNECT"],
  [0x40, "PUBACK"],
  [0x50, "PUBREC"],
  [0x70, "PUBCOMP"],
  [0x82, "SUBSCRIBE"],
  [0xc0, "PINGREQ"],
  [0xe0, "DISCONNECT"],
]);

for (const [qos, handshake] of [
  [1, ["PUBACK", "PUBACK", "PINGREQ"]],
  [2, ["PUBREC", "PUBREC", "PINGREQ", "PUBCOMP", "PUBCOMP", "PINGREQ"]],
] as const) {
  test(`quality of service ${qos}: an input disconnects when a slow broker has read its acknowledgements`, async () => {
    const received: string[] = [];
    const released: number[] = [];
    // It publishes two messages, and handles acknowledgements no sooner than the ping behind them.
    const server = createServer((socket) => {
      let bytes = Buffer.alloc(0);
      socket.on("data", (chunk) => {
        bytes = Buffer.concat([bytes, chunk]);
        while (bytes.length >= 2 && bytes.length >= 2 + bytes.readUInt8(1)) {
          const [type = 0, length = 0, high = 0, low = 0] = bytes;
          bytes = bytes.subarray(2 + length);
          received.push(packetNames.get(type) ?? `packet ${type}`);
          if (type === 0x10) socket.write(Buffer.from([0x20, 2, 0, 0]));
          if (type === 0x82) {
            socket.write(Buffer.from([0x90, 3, high, low, qos]));
            for (const id of [1, 2])
              socket.write(Buffer.from([0x30 | (qos << 1), 6, 0, 1, 0x74, 0, id, 0x61]));
          }
          if (type === 0x50) released.push(low);
          if (type === 0xc0) {
            for (const id of released.splice(0)) socket.write(Buffer.from([0x62, 2, 0, id]));
            socket.write(Buffer.from([0xd0, 0]));
          }
        }
      });
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo; // a TCP server that listens has this kind of address
    const context = inputContext();
    const input = mqttInput({
      urls: [`mqtt://127.0.0.1:${port}`],
      topics: ["t"],
      client_id: "reader",
      clean_session: false,
      keepalive: 0,
      qos,
    });
    await input.start(context);
    for (const { confirm } of await context.deliveries.take(2)) confirm();
    await input.close();
    await until(() => received.includes("DISCONNECT"));
    server.close();
    assert.equal(received, ["CONNECT", "SUBSCRIBE", ...handshake, "DISCONNECT"]);
  });
}

test("a will without a topic is rejected at the start", async () => {
  assert.match(await roundTrip({ will: { enabled: true } }), /needs a topic/);
  assert.is(await roundTrip({ will: { enabled: false } }), "hello");
});

test("user and password authenticate, by fields and in the URL, and wrong ones are reported", async () => {
  const directory = temporaryDirectory("mosquitto");
  const passwords = join(directory, "passwords");
  writeFileSync(passwords, "");
  await run("mosquitto_passwd", ["-b", passwords, "ann", "s3cret/@"]);
  const guarded = await startMosquitto({
    directory,
    configuration: ["allow_anonymous false", `password_file ${passwords}`],
  });
  const at = { urls: [guarded.address] };
  assert.is(await roundTrip({ ...at, user: "ann", password: "s3cret/@" }), "hello");
  assert.is(await roundTrip({ urls: [`mqtt://ann:s3cret%2F%40@127.0.0.1:${guarded.port}`] }), "hello");
  assert.is(
    await roundTrip({ ...at, user: "ann", password: "wrong" }),
    "The MQTT broker cannot be reached: Not authorized (5)",
  );
  assert.is(
    await roundTrip({ ...at, user: "ann", password: "wrong", protocol_version: 5 }),
    "The MQTT broker cannot be reached: Not authorized (135)",
  );
  await guarded.stop();
});

const secure = await startMosquitto({
  configuration: [
    `cafile ${authority.certFile}`,
    `certfile ${server.certFile}`,
    `keyfile ${server.keyFile}`,
    "require_certificate true",
    "use_identity_as_username true",
  ],
});
const trusted = { enabled: true, root_cas_file: authority.certFile };
const byFile = { cert_file: client.certFile, key_file: client.keyFile };

for (const scheme of ["mqtts", "ssl", "tls", "tcp"]) {
  test(`${scheme}: a tls block encrypts, and presents the client's certificate`, async () => {
    const options = {
      urls: [`${scheme}://localhost:${secure.port}`],
      tls: { ...trusted, client_certs: [byFile] },
    };
    const logins = () => secure.log().split("u'client'").length - 1;
    const before = logins();
    assert.is(await roundTrip(options), "hello");
    await until(() => logins() >= before + 2, { what: "the logins of the input and the output in the log" });
  });
}

test("inline certificates, keys with a password, and skipped verification if configured", async () => {
  const at = { urls: [`mqtts://127.0.0.1:${secure.port}`] };
  const { cert, key } = client;
  assert.is(
    await roundTrip({
      ...at,
      tls: { enabled: true, root_cas: authority.cert, client_certs: [{ cert, key }] },
    }),
    "hello",
  );
  const locked = {
    cert_file: lockedClient.certFile,
    key_file: lockedClient.keyFile,
    password: lockedClient.password,
  };
  assert.is(await roundTrip({ ...at, tls: { ...trusted, client_certs: [locked] } }), "hello");
  const blind = { enabled: true, skip_cert_verify: true, client_certs: [byFile] };
  assert.is(await roundTrip({ ...at, tls: blind }), "hello");
});

test("a server that fails verification is not connected to", async () => {
  const at = { urls: [`mqtts://127.0.0.1:${secure.port}`] };
  const strange = { enabled: true, root_cas_file: stranger.certFile, client_certs: [byFile] };
  assert.match(await roundTrip({ ...at, tls: strange }), /cannot be reached \((UNABLE|SELF_SIGNED)/);
  assert.match(await roundTrip(at), /cannot be reached \((UNABLE|SELF_SIGNED)/);
  assert.match(
    await roundTrip({ ...at, tls: { ...trusted, client_certs: [{ cert: "x" }] } }),
    /client_certs/,
  );
});

test("each of several addresses is verified by its own name", async () => {
  const proxy = await startTcpProxy(secure.port);
  const urls = [`mqtts://localhost:${await freePort()}`, `mqtts://127.0.0.1:${proxy.port}`];
  assert.is(await roundTrip({ urls, tls: { ...trusted, client_certs: [byFile] } }), "hello");
  await proxy.close();
});

for (const encrypted of [false, true]) {
  test(`MQTT runs over ${encrypted ? "encrypted " : ""}WebSockets, each at its own path`, async () => {
    const web = encrypted ? createTlsServer({ cert: server.cert, key: server.key }) : createWebServer();
    const paths: (string | undefined)[] = [];
    const sockets = new WebSocketServer({ server: web, handleProtocols: () => "mqtt" });
    sockets.on("connection", (socket, { url }) => {
      paths.push(url);
      const stream = createWebSocketStream(socket);
      stream.pipe(connect(broker.port, "127.0.0.1")).pipe(stream);
    });
    await once(web.listen(0, "127.0.0.1"), "listening");
    const { port } = web.address() as AddressInfo; // a TCP server that listens has this kind of address
    const dead = `mqtt://127.0.0.1:${await freePort()}/elsewhere`;
    const address = `${encrypted ? "wss" : "ws"}://localhost:${port}/mqtt?a=1`;
    const options = encrypted ? { urls: [address], tls: trusted } : { urls: [dead, address] };
    assert.is(await roundTrip(options), "hello");
    assert.equal(paths, ["/mqtt?a=1", "/mqtt?a=1"]);
    sockets.close();
    web.close();
  });
}

test("a WebSocket message above the limit closes the connection, and the client reconnects", async () => {
  const web = createWebServer();
  const sockets = new WebSocketServer({ server: web, handleProtocols: () => "mqtt" });
  const peers = new Queue<WebSocket>();
  sockets.on("connection", (socket) => {
    const [stream, connection] = [createWebSocketStream(socket), connect(broker.port, "127.0.0.1")];
    pipeline(stream, connection, stream, () => undefined); // either side may end it
    peers.push(socket);
  });
  await once(web.listen(0, "127.0.0.1"), "listening");
  const { port } = web.address() as AddressInfo; // a TCP server that listens has this kind of address
  const topic = randomUUID();
  const context = inputContext();
  const kept = { client_id: topic, clean_session: false };
  const input = mqttInput({ urls: [`ws://localhost:${port}`], topics: [topic], qos: 1, ...kept });
  await input.start(context);
  const first = await peers.next();
  const closed = once(first, "close");
  // The header of a PUBLISH packet that claims 256 MiB, so that only the limit of the WebSocket ends it.
  first.send(
    Buffer.concat([Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]), Buffer.alloc(largestClientMessage)]),
  );
  const line = await until(() =>
    context.lines.find(({ message }) => message === "MQTT connection lost, reconnecting"),
  );
  assert.is(line.fields.reason, "the server sent a message of more than 67108864 bytes");
  assert.is((await closed)[0], 1009);
  await peers.next();
  await until(() => context.lines.some(({ message }) => message === "connected to MQTT again"));
  const sender = await connectAsync(broker.address);
  await sender.publishAsync(topic, "after", { qos: 1 });
  const { text, confirm } = await context.deliveries.next();
  assert.is(text, "after");
  confirm();
  await sender.endAsync();
  await input.close();
  for (const socket of sockets.clients) socket.terminate();
  sockets.close();
  web.close();
});

test("the brokers stop", async () => {
  await broker.stop();
  await secure.stop();
});

test.run();
