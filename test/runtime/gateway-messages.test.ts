import { once } from "node:events";
import { Agent, type ClientRequest, createServer, request as httpRequest, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Writable } from "node:stream";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { GatewayError } from "../../runtime/errors.ts";
import {
  addToAnswer,
  answerEmpty,
  answerLast,
  discardBody,
  endWithHead,
  GatewayRequest,
  GatewayResponse,
  writeFullHead,
  writeShort,
} from "../../runtime/http/gateway-messages.ts";
import { askLater, type ListenerHandlers } from "../../runtime/http/listener.ts";
import { readBody } from "../../runtime/http/read-body.ts";
import { ByteBudget } from "../../runtime/process/memory/body-budget.ts";
import { until } from "../harness/wait.ts";
import { type RawClient, rawClient } from "./listener/raw-client.ts";

const reported = { ratelimit: "told", "ratelimit-policy": "told" };

/** Returns the response to one request. `answer` writes the response. */
async function answered(answer: (response: GatewayResponse) => void): Promise<Response> {
  const server = createServer({ ServerResponse: GatewayResponse }, (_request, response) => {
    addToAnswer(response, reported);
    answer(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has this kind of address
  const response = await fetch(`http://127.0.0.1:${port}/`);
  server.close();
  return response;
}

function headersOf({ headers }: Response): readonly (string | null)[] {
  return ["ratelimit", "ratelimit-policy", "x-own"].map((name) => headers.get(name));
}

test("headers set with addToAnswer are in the response, for every way to write the head", async () => {
  const answers: readonly ((response: GatewayResponse) => void)[] = [
    (response) => response.writeHead(200, { "x-own": "1" }).end(),
    (response) => response.writeHead(200, "Fine", { "x-own": "1" }).end(),
    (response) => response.writeHead(200, ["x-own", "1"]).end(),
    (response) => response.setHeader("x-own", "1").end(),
    (response) => response.setHeader("x-own", "1").writeHead(200).end(),
    (response) => {
      response.setHeader("x-own", "1").flushHeaders();
      response.end();
    },
  ];
  for (const answer of answers) {
    assert.equal(headersOf(await answered(answer)), ["told", "told", "1"], String(answer));
  }
});

test("a handler can override and read headers set with addToAnswer", async () => {
  const own = await answered((response) => response.writeHead(200, { ratelimit: "own" }).end());
  assert.equal(headersOf(own), ["own", "told", null]);
  const read = await answered((response) => {
    response.setHeader("x-own", String([response.getHeader("RateLimit"), response.getHeader("x-other")]));
    response.end();
  });
  assert.equal(headersOf(read), ["told", "told", "told,"]);
});

test("the last value set with addToAnswer wins, and stays if a head cannot be written", async () => {
  const response = await answered((answer) => {
    answer.addFields({ ratelimit: "again" });
    assert.throws(() => answer.writeHead(200, { "x-own": "a\nb" }));
    answer.writeHead(502, { "x-own": "1" }).end();
  });
  assert.is(response.status, 502);
  assert.equal(headersOf(response), ["again", "told", "1"]);
});

/** Responses that the gateway writes, and the same ones written by Node.js. */
const ways: Readonly<Record<string, (response: ServerResponse, way: "gateway" | "node") => void>> = {
  empty(response, way) {
    if (way === "gateway") answerEmpty(response);
    else response.writeHead(200, { "content-length": "0", "x-content-type-options": "nosniff" }).end();
  },
  body(response, way) {
    const bytes = Buffer.from("h\u00e9llo");
    const fields = { "content-type": "text/plain", "content-length": String(bytes.length), "x-b": "own" };
    if (way === "node") {
      response.writeHead(200, fields).end(bytes);
      return;
    }
    writeFullHead(response, fields);
    endWithHead(response, bytes);
  },
};

test("responses have the head that Node.js writes, whatever the request and the fields are", async () => {
  const server = createServer({ ServerResponse: GatewayResponse }, ({ url = "", headers }, response) => {
    if (headers["x-told"] !== undefined) addToAnswer(response, { ratelimit: url, "x-b": "b" });
    if (headers["x-set"] !== undefined) response.setHeader("connection", "close");
    const [, , kind = "", way] = url.split("/");
    ways[kind]?.(response, way === "node" ? "node" : "gateway");
  });
  server.on("checkContinue", (request, response) => server.emit("request", request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has this kind of address
  // The last request of each connection ends it: the server drops responses behind one that a client does not wait for.
  const fields = [
    ["", "x-told: 1", "", "x-told: 2", "", "connection: close"],
    ["x-set: 1"],
    ["expect: 100-continue", "connection: close"],
  ];
  const answersTo = async (path: string, lists: readonly string[], verb: string, version: string) => {
    const client = await rawClient(port);
    const host = version === "1.1" ? "host: x\r\n" : "";
    for (const [index, list] of lists.entries())
      client.write(
        `${verb} /${index}${path} HTTP/${version}\r\n${host}${list === "" ? "" : `${list}\r\n`}\r\n`,
      );
    await client.ended();
    return client.received.replaceAll(/^Date: .*$/gm, "").replaceAll(path, "");
  };
  for (const kind of Object.keys(ways)) {
    for (const lists of fields) {
      for (const verb of ["POST", "HEAD"]) {
        for (const version of ["1.1", "1.0"]) {
          const expected = await answersTo(`/${kind}/node`, lists, verb, version);
          assert.match(expected, "200 OK");
          assert.is(await answersTo(`/${kind}/gateway`, lists, verb, version), expected, kind);
        }
      }
    }
  }
  server.close();
});

test("a head that Node.js dated late is not repeated", async () => {
  const secondOf = (time: number) => Math.floor(time / 1000);
  let second = 0;
  const server = createServer({ ServerResponse: GatewayResponse }, ({ url }, response) => {
    second = secondOf(Date.now());
    if (url === "/late") {
      // Node.js remembers the date, and renews it by a timer that cannot run before the next response.
      new ServerResponse(response.req).writeHead(200);
      while (secondOf(Date.now()) === second);
    }
    answerEmpty(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has this kind of address
  /** Returns whether the response has the date of its second. */
  const isDated = async (path: string) => {
    const { headers } = await fetch(`http://127.0.0.1:${port}${path}`);
    return secondOf(Date.parse(headers.get("date") ?? "")) === second;
  };
  // The end of a second in which nothing was responded yet.
  const begun = secondOf(Date.now());
  await until(() => secondOf(Date.now()) > begun && Date.now() % 1000 > 900);
  await isDated("/late");
  const late = second;
  const dated: boolean[] = [];
  while (second <= late + 1) dated.push(await isDated("/next"));
  assert.ok(
    dated.filter((isRight) => !isRight).length <= dated.length / 2,
    "a whole second had the date before",
  );
  server.close();
});

test("every response of a connection closes once, also the one that the client does not wait for", async () => {
  const closed: string[] = [];
  const listeners = new Set<number>();
  const server = createServer({ ServerResponse: GatewayResponse }, ({ url = "", socket }, response) => {
    listeners.add(socket.listenerCount("close"));
    response.on("close", () => closed.push(`${url} ${response.writableFinished}`));
    if (url !== "/left") answerEmpty(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has this kind of address
  const client = await rawClient(port);
  for (const path of ["/1", "/2", "/left", "/waiting"])
    client.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
  await until(() => closed.length === 2);
  assert.is(listeners.size, 1, "each response has a listener of its own");
  client.socket.destroy();
  await until(() => closed.length === 4);
  assert.equal(closed.toSorted(), ["/1 true", "/2 true", "/left false", "/waiting false"]);
  server.close();
  await once(server, "close");
  assert.is(closed.length, 4);
});

test("fields of empty responses cannot hold line breaks", async () => {
  const response = await answered((answer) => {
    answer.addFields({ ratelimit: "a\r\nx-own: 1" });
    assert.throws(() => answerEmpty(answer));
    answer.addFields({ ratelimit: "b" });
    answerEmpty(answer);
  });
  assert.equal(headersOf(response), ["b", "told", null]);
});

test("a short body is sent in one write with its head, for all byte values", async () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, value) => value));
  // Without the empty one that Node.js adds where the system has not taken the response at once.
  let pieces = 0;
  const server = createServer((_request, response) => {
    const socket = response.socket as Socket; // the response is the current one of its connection
    const { _write: write, _writev: writev } = socket;
    Object.assign(socket, {
      _write(...given: Parameters<Writable["_write"]>) {
        pieces += Number(given[0].length > 0);
        write.apply(socket, given);
      },
      _writev(...given: Parameters<NonNullable<Writable["_writev"]>>) {
        pieces += given[0].filter(({ chunk }) => chunk.length > 0).length;
        writev?.apply(socket, given);
      },
    });
    response.writeHead(200, { "content-length": String(bytes.length) });
    assert.is(writeShort(response, bytes), socket);
    response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has this kind of address
  const answer = await fetch(`http://127.0.0.1:${port}/`);
  assert.equal(Buffer.from(await answer.arrayBuffer()), bytes);
  assert.is(pieces, 1);
  server.close();
});

interface Collecting {
  readonly requests: readonly GatewayRequest[];
  /** The text of each body, or the status with which it was refused. */
  readonly bodies: readonly string[];
  /** Begins a request on the shared connection. */
  begin(headers?: Record<string, string>): ClientRequest;
  close(): void;
}

/** Starts a server that collects the bodies of its requests: after `wait`, or immediately without it. */
async function collecting(wait?: (request: GatewayRequest) => Promise<unknown>): Promise<Collecting> {
  const requests: GatewayRequest[] = [];
  const bodies: string[] = [];
  const server = createServer({ IncomingMessage: GatewayRequest }, async (request, response) => {
    requests.push(request);
    if (wait !== undefined) await wait(request);
    const body = await readBody(request, 100, new ByteBudget(1000).hold());
    bodies.push(body instanceof GatewayError ? `${body.status}` : body.toString());
    response.writeHead(200, { "content-length": "0" }).end();
  });
  const emit: ListenerHandlers["request"] = (...given) => server.emit("request", ...given);
  const nothing = () => undefined;
  server.on(
    "checkContinue",
    askLater({ request: emit, upgrade: nothing, unreadable: nothing, silent: nothing }),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has this kind of address
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    requests,
    bodies,
    begin: (headers = {}) => httpRequest({ port, host: "127.0.0.1", method: "POST", agent, headers }),
    close() {
      agent.destroy();
      server.close();
    },
  };
}

/** Resolves when the response to a request is complete. */
async function answerTo(request: ClientRequest): Promise<void> {
  const [answer] = await once(request, "response");
  await once(answer.resume(), "end");
}

test("a body is collected without the stream, in one chunk or many", async () => {
  const { requests, bodies, begin, close } = await collecting();
  await answerTo(begin({ "content-length": "5" }).end("whole"));
  await answerTo(begin({ "content-length": "0" }).end());
  const pieces = begin();
  pieces.write("ab");
  await until(() => requests.length === 3);
  pieces.write("cd");
  await answerTo(pieces.end("e"));
  await answerTo(begin().end("too large".repeat(20)));
  assert.equal(bodies, ["whole", "", "abcde", "413"]);
  for (const request of requests.slice(0, 3)) assert.is(request.readableFlowing, null);
  // Node drops these requests, so the connection has responded to each of them.
  assert.equal(
    requests.map(({ readableEnded, aborted }) => [readableEnded, aborted]),
    requests.map(() => [true, false]),
  );
  close();
});

test("a body that arrives before it is read is collected without the stream, too", async () => {
  const { requests, bodies, begin, close } = await collecting((request) => until(() => request.complete));
  await answerTo(begin({ "content-length": "5" }).end("early"));
  await answerTo(begin().end("again"));
  assert.equal(bodies, ["early", "again"]);
  assert.equal(
    requests.map(({ readableEnded, readableFlowing }) => [readableEnded, readableFlowing]),
    requests.map(() => [true, null]),
  );
  close();
});

test("a client with Expect: 100-continue gets 100 Continue", async () => {
  const { bodies, begin, close } = await collecting();
  const request = begin({ "content-length": "5", expect: "100-continue" });
  request.flushHeaders();
  await once(request, "continue");
  await answerTo(request.end("asked"));
  assert.equal(bodies, ["asked"]);
  close();
});

test("a body whose connection is lost is an error", async () => {
  const { requests, bodies, begin, close } = await collecting();
  const request = begin({ "content-length": "5" });
  request.on("error", () => undefined).write("abc");
  await until(() => requests.length === 1);
  request.destroy();
  await until(() => bodies.length === 1);
  assert.equal(bodies, ["400"]);
  close();
});

test("a discarded body does not block the connection", async () => {
  const bodies: string[] = [];
  const server = createServer({ IncomingMessage: GatewayRequest }, async (request, response) => {
    if (request.url === "/away") discardBody(request);
    else bodies.push(String(await readBody(request, 100, new ByteBudget(1000).hold())));
    response.writeHead(200, { "content-length": "0" }).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has this kind of address
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const post = (path: string) => httpRequest({ port, host: "127.0.0.1", method: "POST", agent, path });
  await answerTo(post("/away").end("x".repeat(200_000)));
  await answerTo(post("/").end("kept"));
  assert.equal(bodies, ["kept"]);
  agent.destroy();
  server.close();
});

/** Starts a server whose responses continue, and a client that sends the request `asked`. */
async function goingOn(answer: (begin: () => void) => void, asked: string) {
  let closed = 0;
  const sockets: Socket[] = [];
  const server = createServer(
    { IncomingMessage: GatewayRequest, ServerResponse: GatewayResponse },
    (_request, response) => {
      if (response.socket !== null) sockets.push(response.socket);
      response.on("close", () => {
        closed += 1;
      });
      answer(() => {
        answerLast(response);
        response.writeHead(200).write("begun");
      });
    },
  );
  server.on("upgrade", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has this kind of address
  const client = await rawClient(port);
  client.write(asked);
  await until(() => client.received.includes("begun"));
  const [socket] = sockets;
  if (socket === undefined) throw new Error("a request has a connection");
  const hasParser = () => Boolean(Reflect.get(socket, "parser"));
  return { closed: () => closed, socket, client, server, hasParser };
}

const ask = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

test("an ongoing response frees its parser, and ends with either side or on further data", async () => {
  const ends: Record<string, (client: RawClient, socket: Socket) => void> = {
    "the client leaves": ({ socket }) => socket.end(),
    "it resets": ({ socket }) => socket.resetAndDestroy(),
    "it sends more": ({ write }) => write("G"),
    "it takes nothing": ({ socket: client }, socket) => {
      client.pause();
      while (socket.writableLength === 0) socket.write(Buffer.alloc(1 << 20));
      socket.emit("timeout");
      client.resume();
    },
    "the connection fails": (_client, socket) => socket.destroy(new Error("lost")),
  };
  const ways: readonly ((begin: () => void) => void)[] = [(begin) => begin(), (begin) => setImmediate(begin)];
  for (const [name, end] of Object.entries(ends)) {
    for (const way of ways) {
      const { closed, socket, client, server, hasParser } = await goingOn(way, ask);
      const isSent = () => !hasParser() && socket.writableLength === 0;
      await until(isSent, { what: `a freed parser before ${name}` });
      assert.match(client.received, /\r\nConnection: close\r\n/);
      socket.emit("timeout");
      assert.not(socket.destroyed, "nothing waits for the client");
      end(client, socket);
      await client.ended();
      await until(() => closed() === 1, { what: `the end of the answer after ${name}` });
      server.close();
    }
  }
});

test("an ongoing response keeps the parser of a client that has sent more", async () => {
  const { closed, client, server, hasParser } = await goingOn((begin) => begin(), `${ask}${ask}`);
  await new Promise(setImmediate);
  assert.ok(hasParser());
  client.socket.destroy();
  await until(() => closed() === 2);
  server.close();
});

test.run();
