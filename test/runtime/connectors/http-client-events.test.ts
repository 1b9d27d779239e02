import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  EventStream,
  httpEventsInput,
  type ServerEvent,
} from "../../../runtime/connectors/http-client/events.ts";
import { Queue } from "../../harness/queue.ts";
import { until } from "../../harness/wait.ts";
import { inputContext } from "./contexts.ts";

const test = suite("http_client of events");

function eventsOf(text: string, longest = 1000, cuts: readonly number[] = []): readonly ServerEvent[] {
  const stream = new EventStream(longest, "");
  const bytes = Buffer.from(text);
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return places.flatMap((place, index) => [...stream.take(bytes.subarray(place, places[index + 1]))]);
}

const event = (data: string | undefined, type = "message", id = "") => ({
  data,
  type,
  id,
  isTooLarge: false,
});

test("the examples of the specification are parsed as specified", () => {
  assert.equal(eventsOf("data: YHOO\ndata: +2\ndata: 10\n\n"), [event("YHOO\n+2\n10")]);
  assert.equal(
    eventsOf(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n"),
    [event(undefined), event("first event", "message", "1"), event("second event"), event(" third event")],
  );
  assert.equal(eventsOf("data\n\ndata\ndata\n\ndata:"), [event(""), event("\n")]);
  assert.equal(eventsOf("data:test\n\ndata: test\n\n"), [event("test"), event("test")]);
  assert.equal(eventsOf("\ufeffevent: add\r\ndata: 1\r\n\r\nevent: a\rdata: \ufeff2\r\r"), [
    event("1", "add"),
    event("\ufeff2", "a"),
  ]);
  assert.equal(eventsOf("id: 7\ndata: a\n\nid: 8\0\ndata: b\n\nID: 9\nretry: 1x\ndata: c\n\n"), [
    event("a", "message", "7"),
    event("b", "message", "7"),
    event("c", "message", "7"),
  ]);
});

test("events do not depend on how the network splits them", () => {
  const line = fc.constantFrom("data: é", "data", "id: 1", "event: x", "", ":", "other: 1", "retry: 5");
  const end = fc.constantFrom("\n", "\r\n", "\r");
  const lines = fc.array(fc.tuple(line, end), { maxLength: 20 });
  fc.assert(
    fc.property(lines, fc.array(fc.nat(200), { maxLength: 10 }), (written, cuts) => {
      const text = written.map((parts) => parts.join("")).join("");
      assert.equal(eventsOf(text, 1000, cuts), eventsOf(text));
    }),
    { seed: 16 },
  );
});

test("an oversized event is skipped, and the next event is read", () => {
  const long = "x".repeat(50);
  const sizes = (text: string) =>
    eventsOf(text, 20).map(({ data, id, isTooLarge }) => [data, id, isTooLarge]);
  assert.equal(sizes(`id: 1\ndata: ${long}\n\ndata: a\n\n`), [
    [undefined, "1", true],
    ["a", "1", false],
  ]);
  assert.equal(sizes(`${"data: 123456\n".repeat(4)}\ndata: b\n\n`), [
    [undefined, "", true],
    ["b", "", false],
  ]);
});

/** Starts a server of events. The test writes its responses. */
async function eventServer() {
  const requests = new Queue<{ readonly headers: IncomingHttpHeaders; readonly response: ServerResponse }>();
  const server = createServer(({ headers }, response) => requests.push({ headers, response }));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has this kind of address
  const open = async () => {
    const { headers, response } = await requests.next();
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" }).flushHeaders();
    return { lastId: headers["last-event-id"], accept: headers.accept, response };
  };
  const close = async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  return { url: `http://127.0.0.1:${port}/`, requests, open, close };
}

test("the next request names the last acknowledged event", async () => {
  const server = await eventServer();
  const context = inputContext();
  const stream = { enabled: true, events: true };
  const input = httpEventsInput({ url: server.url, retry_period: 1, stream });
  await input.start(context);
  const first = await server.open();
  assert.equal([first.lastId, first.accept], [undefined, "text/event-stream"]);
  first.response.write("retry: 2\nid: 1é\nevent: made\ndata: {}\n\nid: 2\ndata: b\n\n");
  const made = await context.deliveries.next();
  const { metadata } = made.batch[0] ?? {};
  assert.equal([made.text, metadata?.get("sse_event"), metadata?.get("sse_id")], ["{}", "made", "1é"]);
  made.confirm();
  const second = await context.deliveries.next();
  first.response.destroy();
  // The pending event is settled first.
  assert.is(server.requests.all.length, 1);
  second.confirm();
  const again = await server.open();
  assert.is(again.lastId, "2");
  again.response.write("id\ndata: c\n\nid: not\u0001sent\n\n");
  (await context.deliveries.next()).confirm();
  again.response.end();
  const third = await server.open();
  assert.is(third.lastId, undefined, "the server took its id back, and the next one fits into no header");
  third.response.write("id: 4\ndata: d\n\n");
  await context.deliveries.next();
  const closing = input.close();
  context.deliveries.all.at(-1)?.confirm();
  await closing;
  await server.close();
});

test("204 ends the input, and another content type is a failure", async () => {
  const server = await eventServer();
  const context = inputContext();
  let hasEnded = false;
  const stream = { enabled: true, events: true };
  const input = httpEventsInput({ url: server.url, retry_period: 1, stream });
  const reportEnd = () => {
    hasEnded = true;
  };
  await input.start({ ...context, reportEnd });
  const { response } = await server.requests.next();
  response.writeHead(200, { "content-type": "application/json" }).end("{}");
  const next = await server.requests.next();
  assert.equal(
    context.lines.map(({ fields }) => fields.detail),
    ["The answer is application/json, not text/event-stream"],
  );
  next.response.writeHead(204).end();
  await until(() => hasEnded);
  await input.close();
  await server.close();
});

test.run();
