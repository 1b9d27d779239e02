// The input `http_client` with `stream`: responses that are read as they arrive.

import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { mock } from "node:test";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { pause } from "../../../runtime/concurrency/backoff.ts";
import { httpClientInput } from "../../../runtime/connectors/http-client/input.ts";
import { linesScanner } from "../../../runtime/scanners/lines.ts";
import { Queue } from "../../harness/queue.ts";
import { until } from "../../harness/wait.ts";
import { inputContext } from "./contexts.ts";

const test = suite("streams of http_client");

/** Starts a server. The test writes its responses piece by piece. It sends no head of the first ones, if they are `silent`. */
async function heldStreams(silent = 0) {
  const responses = new Queue<ServerResponse>();
  let left = silent;
  const server = createServer((_, response) => {
    response.writeHead(200, { "x-trace": "t1" });
    if (left === 0) response.flushHeaders();
    else left -= 1;
    responses.push(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has this kind of address
  return {
    url: `http://127.0.0.1:${port}/`,
    responses,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

test("emits a message per line, one after another, beyond the timeout", async () => {
  const server = await heldStreams();
  const context = inputContext();
  const input = httpClientInput({
    url: server.url,
    timeout: 20,
    stream: { enabled: true },
    extract_headers: (name) => name === "x-trace",
  });
  await input.start(context);
  const response = await server.responses.next();
  response.write("fi");
  await pause(40, context.signal);
  response.write("rst\r\n\nsecond\nthi");
  const first = await context.deliveries.next();
  assert.is(first.text, "first");
  assert.is(first.batch[0]?.metadata.get("x-trace"), "t1");
  assert.is(first.batch[0]?.metadata.get("http_status_code"), 200);
  first.confirm();
  const second = await context.deliveries.next();
  assert.is(second.text, "second");
  const closing = input.close();
  second.confirm();
  await closing;
  assert.is(context.deliveries.all.length, 2);
  await server.close();
});

test("gives up a server that never answers", async () => {
  const server = await heldStreams(1);
  const context = inputContext();
  const input = httpClientInput({ url: server.url, retry_period: 1, retries: 0, stream: { enabled: true } });
  mock.timers.enable({ apis: ["setInterval"] });
  try {
    await input.start(context);
    await server.responses.next(); // sends nothing, not even a head
    for (let minute = 0; minute < 10; minute += 1) mock.timers.tick(60_000);
  } finally {
    mock.timers.reset();
  }
  const answering = await server.responses.next();
  answering.write("line\n");
  const delivery = await context.deliveries.next();
  assert.is(delivery.text, "line");
  assert.is(context.lines[0]?.fields?.detail, "The HTTP request took too long");
  const closing = input.close();
  delivery.confirm();
  await closing;
  await server.close();
});

test("reconnects when a reply ends, and reports when it breaks", async () => {
  const server = await heldStreams();
  const context = inputContext();
  const input = httpClientInput({
    url: server.url,
    retry_period: 1,
    stream: {
      enabled: true,
      scanner: linesScanner({ custom_delimiter: "||", max_buffer_size: 5, omit_empty: true }),
    },
    drop_empty_bodies: false,
  });
  await input.start(context);
  (await server.responses.next()).end("a||||b");
  for (const text of ["a", "b"]) {
    const delivery = await context.deliveries.next();
    assert.is(delivery.text, text);
    delivery.confirm();
  }
  (await server.responses.next()).write("too long a line");
  const cut = await server.responses.next();
  cut.write("c||half");
  const delivery = await context.deliveries.next();
  assert.is(delivery.text, "c");
  delivery.confirm();
  await pause(5, context.signal);
  cut.destroy();
  // An incomplete part at the end is not a message.
  (await server.responses.next()).write("d||");
  const last = await context.deliveries.next();
  assert.is(last.text, "d");
  const closing = input.close();
  last.confirm();
  await closing;
  const [tooLong, again] = context.lines;
  assert.equal(tooLong?.fields, { reason: "source_failed", detail: "A line is longer than 5 bytes" });
  assert.is(again?.message, "reading the stream succeeds again");
  await server.close();
});

test("ends with its first reply if reconnect is off", async () => {
  const server = await heldStreams();
  const context = inputContext();
  let hasEnded = false;
  const input = httpClientInput({ url: server.url, stream: { enabled: true, reconnect: false } });
  await input.start({
    ...context,
    reportEnd: () => {
      hasEnded = true;
    },
  });
  (await server.responses.next()).end("only\n");
  const delivery = await context.deliveries.next();
  assert.not.ok(hasEnded);
  delivery.confirm();
  await until(() => hasEnded);
  await input.close();
  await server.close();
});

test.run();
