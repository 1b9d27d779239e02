import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { WebSocket, WebSocketServer } from "ws";
import { authentication } from "../../../runtime/protections/authentication/authentication.ts";
import { disallowed } from "../../../runtime/protections/authentication/decide.ts";
import type { AuthenticationMethod } from "../../../runtime/protections/authentication/method.ts";
import { ipAccess } from "../../../runtime/protections/ip-access.ts";
import { proxyTo } from "../../../runtime/proxy/upstream.ts";
import { sse } from "../../harness/sse-client.ts";
import { until, within } from "../../harness/wait.ts";
import { socket, UpgradeRefused } from "../../harness/websocket-client.ts";
import { startGateway } from "../gateway/start-gateway.ts";
import { startProxy, startTcpUpstream, startUpstream } from "./upstreams.ts";

/** Starts a WebSocket server that sends back what it receives. */
async function startEcho(handshakes: IncomingMessage[] = []) {
  const upstream = await startUpstream((_request, response) => response.writeHead(404).end());
  const sockets = new WebSocketServer({
    server: upstream.server,
    handleProtocols: (names) => (names.has("b") ? "b" : false),
  });
  sockets.on("connection", (connection, request) => {
    handshakes.push(request);
    connection.on("error", () => undefined);
    connection.on("message", (data, isBinary) => connection.send(data, { binary: isBinary }));
  });
  const close = async () => {
    for (const client of sockets.clients) client.terminate();
    await upstream.close();
  };
  return { url: upstream.url, sockets, close };
}

/** Resolves when a gateway no longer accepts connections. */
async function stopping(url: string): Promise<void> {
  const isRefused = () =>
    fetch(url).then(
      () => false,
      () => true,
    );
  await until(isRefused, { what: "the gateway to stop" });
}

test("messages, subprotocols, pings and close frames pass in both directions", async () => {
  const handshakes: IncomingMessage[] = [];
  const upstream = await startEcho(handshakes);
  const gateway = await startProxy({ url: `${upstream.url}/base` });
  const connection = new WebSocket(`${gateway.url.replace("http", "ws")}/orders/chat?room=1`, ["a", "b"], {
    headers: { "x-forwarded-for": "6.6.6.6", "x-own": "1" },
  });
  await once(connection, "open");
  assert.is(connection.protocol, "b");
  const handshake = handshakes.at(-1);
  assert.is(handshake?.url, "/base/chat?room=1");
  assert.is(handshake?.headers["x-own"], "1");
  assert.is(handshake?.headers["x-forwarded-for"], "127.0.0.1");
  for (const message of ["text", Buffer.from([0, 255])]) {
    connection.send(message);
    const [data, isBinary] = await once(connection, "message");
    assert.equal([isBinary ? data : String(data), isBinary], [message, typeof message !== "string"]);
  }
  connection.ping("here");
  const [pong] = await once(connection, "pong");
  assert.is(String(pong), "here");
  const [end] = upstream.sockets.clients;
  end?.ping("there");
  const [ponged] = end === undefined ? [] : await once(end, "pong");
  assert.is(String(ponged), "there");
  end?.close(4321, "enough");
  const [code, reason] = await once(connection, "close");
  assert.equal([code, String(reason)], [4321, "enough"]);
  await gateway.close();
  await upstream.close();
});

test("a refusal of the upstream is forwarded unchanged", async () => {
  const upstream = await startUpstream((_request, response) => response.end());
  upstream.server.on("upgrade", (_request, connection: Socket) => {
    connection.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 4\r\nx-why: that\r\n\r\nno!\n");
  });
  const gateway = await startProxy({ url: upstream.url });
  const refused = await socket(`${gateway.url}/orders/a`).catch((error: unknown) => error);
  assert.instance(refused, UpgradeRefused);
  assert.is((refused as UpgradeRefused).status, 403);
  const plain = connect(Number(new URL(gateway.url).port), "127.0.0.1");
  plain.write(
    "GET /orders/a HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: a\r\n\r\n",
  );
  assert.match(
    await text(plain),
    /^HTTP\/1\.1 403 Forbidden\r\nConnection: close\r\n.*x-why: that\r\n.*no!\n$/is,
  );
  await gateway.close();
  await upstream.close();
});

test("a refusal with an invalid status is answered 502, and the upstream connection is closed", async () => {
  for (const status of [600, 777, 999]) {
    let isOpen = true;
    const upstream = await startTcpUpstream((end) => {
      end.once("data", () => end.write(`HTTP/1.1 ${status} No\r\nContent-Length: 100\r\n\r\nbegun`));
      end.once("close", () => {
        isOpen = false;
      });
    });
    const gateway = await startProxy({ url: upstream.url });
    const refused = await socket(`${gateway.url}/orders/a`).catch((error: unknown) => error);
    assert.is((refused as UpgradeRefused).status, 502, String(status));
    await until(() => !isOpen, { what: "the upstream to be left" });
    await gateway.close();
    await upstream.close();
  }
});

test("a client that disconnects during a refusal ends it", async () => {
  let isOpen = false;
  const upstream = await startTcpUpstream((end) => {
    isOpen = true;
    end.once("data", () => end.write("HTTP/1.1 403 No\r\nContent-Length: 100\r\n\r\nbegun"));
    end.once("close", () => {
      isOpen = false;
    });
  });
  const gateway = await startProxy({ url: upstream.url });
  const plain = connect(Number(new URL(gateway.url).port), "127.0.0.1");
  plain.write(
    "GET /orders/a HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: a\r\n\r\n",
  );
  let answered = "";
  plain.on("data", (data) => {
    answered += String(data);
  });
  await until(() => answered.includes("begun"));
  plain.end();
  await until(() => !isOpen);
  await gateway.close();
  await upstream.close();
});

test("an upgrade that is not a valid handshake opens nothing", async () => {
  let reached = 0;
  const upstream = await startTcpUpstream((connection) => {
    reached += 1;
    connection.once("data", () =>
      connection.write("HTTP/1.1 101 S\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n"),
    );
  });
  const gateway = await startProxy({ url: upstream.url });
  const answerTo = async (method: string, lines: readonly string[], body = "") => {
    const plain = connect(Number(new URL(gateway.url).port), "127.0.0.1");
    const head = [
      `${method} /orders/a HTTP/1.1`,
      "Host: a",
      "Connection: Upgrade",
      "Upgrade: websocket",
      ...lines,
    ];
    plain.write(`${head.join("\r\n")}\r\n\r\n${body}`);
    return (await text(plain)).split("\r\n", 1)[0];
  };
  const key = "Sec-WebSocket-Key: a";
  assert.is(await answerTo("GET", []), "HTTP/1.1 400 Bad Request");
  assert.is(await answerTo("POST", [key]), "HTTP/1.1 400 Bad Request");
  assert.is(await answerTo("GET", [key, "Content-Length: 3"], "abc"), "HTTP/1.1 400 Bad Request");
  assert.is(reached, 0);
  assert.is(await answerTo("GET", [key]), "HTTP/1.1 502 Bad Gateway", "the upstream chose another protocol");
  await gateway.close();
  await upstream.close();
});

test("back-pressure passes between the two sides", async () => {
  const upstream = await startEcho();
  const gateway = await startProxy({ url: upstream.url });
  const client = await socket(`${gateway.url}/orders/a`);
  client.socket.pause();
  const [end] = upstream.sockets.clients;
  const part = Buffer.alloc(1024 * 1024);
  for (let count = 0; count < 64; count += 1) end?.send(part);
  let before = -1;
  await until(
    async () => {
      const left = end?.bufferedAmount ?? 0;
      const isStill = left === before;
      before = left;
      await new Promise((done) => setTimeout(done, 100));
      return isStill;
    },
    { what: "backpressure to reach the upstream" },
  );
  assert.ok(before > 32 * part.length, `${before} bytes wait in the upstream`);
  client.socket.resume();
  await client.take(64);
  await client.close();
  await gateway.close();
  await upstream.close();
});

test("a side that disconnects ends the other one", async () => {
  const upstream = await startEcho();
  const gateway = await startProxy({ url: upstream.url });
  const leaving = await socket(`${gateway.url}/orders/a`);
  leaving.socket.terminate();
  await until(() => upstream.sockets.clients.size === 0, { what: "the upstream to be left" });
  const left = await socket(`${gateway.url}/orders/a`);
  for (const end of upstream.sockets.clients) end.terminate();
  assert.is((await left.ended).code, 1006);
  await gateway.close();
  await upstream.close();
});

test("a stopping gateway closes both ends, and waits for neither", async () => {
  const upstream = await startEcho();
  const gateway = await startProxy({ url: upstream.url });
  const open = await socket(`${gateway.url}/orders/a`);
  const [end] = upstream.sockets.clients;
  const ended = end === undefined ? [] : once(end, "close");
  await gateway.close();
  assert.equal(await open.ended, { code: 1001, reason: "gateway is closing" });
  const [code, reason] = await ended;
  assert.equal([code, String(reason)], [1001, "gateway is closing"]);
  await upstream.close();
});

test("frames in flight at a stop are forwarded whole, later ones are not, and a close frame follows", async () => {
  const heads = { 4: "8204", 256: "827e0100", 65536: "827f0000000000010000" };
  for (const [length, head] of Object.entries(heads)) {
    const plain = Buffer.concat([Buffer.from(head, "hex"), Buffer.alloc(Number(length), 121)]);
    // A mask of zeros leaves the payload unchanged.
    const masked = Buffer.concat([
      Buffer.from(head, "hex"),
      Buffer.alloc(4),
      Buffer.alloc(Number(length), 120),
    ]);
    masked[1] = (masked[1] ?? 0) | 0x80;
    const ends: Socket[] = [];
    const upstream = await startTcpUpstream((end) => {
      ends.push(end);
      end.once("data", () =>
        end.write(
          "HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n".concat(
            plain.subarray(0, 1).toString("latin1"),
          ),
          "latin1",
        ),
      );
    });
    const gateway = await startProxy({ url: upstream.url });
    const { hostname, port } = new URL(gateway.url);
    const client = connect(Number(port), hostname);
    client.write(
      "GET /orders/a HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: a\r\n\r\n",
    );
    const received = { client: Buffer.alloc(0), upstream: Buffer.alloc(0) };
    const collect = (name: "client" | "upstream", end: Socket | undefined) =>
      end?.on("data", (data: Buffer) => {
        received[name] = Buffer.concat([received[name], data]);
      });
    collect("client", client);
    await until(() => received.client.includes("\r\n\r\n"));
    const [end] = ends;
    collect("upstream", end);
    client.write(masked.subarray(0, 3));
    await until(() => received.upstream.length === 3);
    const closed = gateway.close();
    await stopping(gateway.url);
    end?.write(Buffer.concat([plain.subarray(1), plain]));
    client.write(Buffer.concat([masked.subarray(3), masked]));
    await closed;
    const closing = Buffer.concat([Buffer.from([0x88, 20, 0x03, 0xe9]), Buffer.from("gateway is closing")]);
    await until(() => received.client.includes(closing), { what: "the close frame at the client" });
    const frames = received.client.subarray(received.client.indexOf("\r\n\r\n") + 4);
    assert.ok(
      frames.equals(Buffer.concat([plain, closing])),
      `${length}: ${frames.length} bytes at the client`,
    );
    const expected = masked.length + closing.length + 4; // a mask
    await until(() => received.upstream.length >= expected, { what: "the close frame at the upstream" });
    const [whole, close] = [
      received.upstream.subarray(0, masked.length),
      received.upstream.subarray(masked.length),
    ];
    assert.ok(whole.equals(masked), length);
    const [mask, payload] = [close.subarray(2, 6), close.subarray(6)];
    assert.equal([...close.subarray(0, 2)], [0x88, 0x80 | 20]);
    assert.is(
      Buffer.from(payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0))).toString("latin1"),
      "\x03\xe9gateway is closing",
    );
    client.destroy();
    await upstream.close();
  }
});

test("a handshake in flight at a stop ends once it is answered, and no further one reaches the upstream", async () => {
  const ends: Socket[] = [];
  const upstream = await startTcpUpstream((end) => ends.push(end));
  const gateway = await startProxy({ url: upstream.url });
  const { hostname, port } = new URL(gateway.url);
  const handshake =
    "GET /orders/a HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: a\r\n\r\n";
  const [early, late] = [connect(Number(port), hostname), connect(Number(port), hostname)];
  await Promise.all([once(early, "connect"), once(late, "connect")]);
  // A request whose head is still being sent keeps the connection open.
  late.write(handshake.slice(0, -2));
  early.write(handshake);
  await until(() => ends.length === 1);
  const closed = gateway.close();
  await stopping(gateway.url);
  late.write("\r\n");
  assert.match(await text(late), /^HTTP\/1\.1 503 /);
  ends[0]?.write("HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n");
  assert.match(await text(early), /^HTTP\/1\.1 101 .*gateway is closing$/s);
  assert.is(ends.length, 1);
  await closed;
  await upstream.close();
});

test("rejected requests and sockets do not reach the upstream", async () => {
  let reached = 0;
  const upstream = await startTcpUpstream(() => {
    reached += 1;
  });
  const api = {
    id: "orders",
    listenPath: "/orders/",
    streams: {},
    upstream: () => proxyTo({ url: upstream.url }),
  };
  const protections = () => [ipAccess({ enabled: true, block: ["127.0.0.0/8"] })];
  const gateway = await startGateway([{ ...api, protections }]);
  assert.is((await fetch(`${gateway.url}/orders/a`)).status, 403);
  const refused = await socket(`${gateway.url}/orders/a`).catch((error: unknown) => error);
  assert.is((refused as UpgradeRefused).status, 403);
  assert.is(reached, 0);
  await gateway.close();
  await upstream.close();
});

test("an upstream that never answers a handshake is answered 504, an unreachable one 502", async () => {
  const upstream = await startTcpUpstream((connection) => connection.resume());
  const gateway = await startProxy({ url: upstream.url, timeouts: { response: 20, connect: 20 } });
  const late = await socket(`${gateway.url}/orders/a`).catch((error: unknown) => error);
  assert.is((late as UpgradeRefused).status, 504);
  await upstream.close();
  const away = await socket(`${gateway.url}/orders/a`).catch((error: unknown) => error);
  assert.is((away as UpgradeRefused).status, 502);
  await gateway.close();
});

test("nothing passes while the right of a connection is checked again, nor after its end", async () => {
  const answers: ServerResponse[] = [];
  const upstream = await startUpstream((_, response) => {
    answers.push(response);
    response.writeHead(200, { "content-type": "text/event-stream" }).write("data: first\n\n");
  });
  const received: string[] = [];
  const sockets = new WebSocketServer({ server: upstream.server });
  sockets.on("connection", (connection) => {
    connection.send("first");
    connection.on("message", (data) => received.push(String(data)));
  });
  const decision = Promise.withResolvers<void>();
  let noteChange = () => {};
  const method: AuthenticationMethod = {
    identity: "custom_auth",
    start({ keysChanged = noteChange }) {
      noteChange = keysChanged;
      const authenticate = ({ request }: { readonly request: IncomingMessage }) => ({
        renew: () => decision.promise.then(() => (request.headers["x-name"] === "stays" ? {} : disallowed())),
      });
      return { sources: {}, authenticate };
    },
  };
  const protections = () => [authentication({ methods: { method }, requirements: [{ method: [] }] })];
  const api = { id: "orders", listenPath: "/orders/", streams: {}, protections };
  const gateway = await startGateway([{ ...api, upstream: () => proxyTo({ url: upstream.url }) }]);
  const open = async (name: string) => {
    const headers = { "x-name": name };
    const [events, connection] = await Promise.all([
      sse(`${gateway.url}/orders/events`, { headers }),
      socket(`${gateway.url}/orders/chat`, { headers }),
    ]);
    assert.equal([(await events.next()).data, await connection.next()], ["first", "first"]);
    return { events, connection };
  };
  const [ends, stays] = [await open("ends"), await open("stays")];
  noteChange();
  const later = await open("later");
  for (const each of [ends, stays]) await each.connection.send("up");
  for (const response of answers) response.write("data: second\n\n");
  for (const client of sockets.clients) client.send("second");
  assert.equal([(await later.events.next()).data, await later.connection.next()], ["second", "second"]);
  for (const { events, connection } of [ends, stays])
    assert.equal([events.events.length, connection.messages.length, received], [1, 1, []]);
  decision.resolve();
  await within(ends.events.ended, { what: "the end of the events" });
  assert.is((await within(ends.connection.ended, { what: "the end of the socket" })).code, 1008);
  assert.equal(
    ends.events.events.map(({ event }) => event),
    ["message", "closed"],
  );
  assert.equal(ends.connection.messages, ["first"]);
  assert.equal([(await stays.events.next()).data, await stays.connection.next()], ["second", "second"]);
  await until(() => received.length > 0, { what: "the message of the socket that stays" });
  assert.equal(received, ["up"]);
  for (const { events, connection } of [stays, later]) {
    events.close();
    connection.socket.terminate();
  }
  await gateway.close();
  await upstream.close();
});

test.run();
