import { suite } from "uvu";
import * as assert from "uvu/assert";
import { httpClientInput } from "../../../runtime/connectors/http-client/input.ts";
import { httpClientOutput } from "../../../runtime/connectors/http-client/output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { httpServer, type Reply } from "../../harness/http-server.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, componentContext, inputContext, textOfBatch } from "./contexts.ts";

const test = suite("http_client");

/** An answer that waits for the test's word. */
function heldAnswers() {
  const held: ((reply: Reply) => void)[] = [];
  return { held, answer: () => new Promise<Reply>((resolve) => held.push(resolve)) };
}

test("input: each reply is a message, and the next poll waits until it is confirmed", async () => {
  let count = 0;
  const server = await httpServer(() => {
    count += 1;
    return { body: `reply ${count}` };
  });
  const context = inputContext();
  const input = httpClientInput({ url: server.url });
  await input.start(context);
  const first = await context.deliveries.next();
  assert.is(first.text, "reply 1");
  assert.is(first.batch[0]?.metadata.get("http_status_code"), 200);
  await new Promise(setImmediate);
  assert.is(server.requests.length, 1);
  first.confirm();
  const second = await context.deliveries.next();
  assert.is(second.text, "reply 2");
  const closing = input.close();
  second.confirm();
  await closing;
  await input.close();
  assert.is(server.requests.length, 2);
  assert.equal(
    server.requests.map(({ method, body }) => [method, body]),
    [
      ["GET", ""],
      ["GET", ""],
    ],
  );
  await server.close();
});

test("input: a refused message is delivered again without another poll", async () => {
  const server = await httpServer(() => ({ body: "page" }));
  const context = inputContext();
  const input = httpClientInput({ url: server.url, rate_limit: 60_000 });
  await input.start(context);
  (await context.deliveries.next()).refuse(new GatewayError(502, "not now"));
  const again = await context.deliveries.next();
  assert.is(again.text, "page");
  assert.equal(context.blocked, [true]);
  again.confirm();
  await until(() => context.blocked.length === 2);
  assert.is(server.requests.length, 1);
  await input.close();
  await server.close();
});

test("input: rate_limit is the time from one poll to the next", async () => {
  const times: number[] = [];
  const server = await httpServer(() => {
    times.push(performance.now());
    return { body: "x" };
  });
  const context = inputContext();
  const input = httpClientInput({ url: server.url, rate_limit: 80 });
  await input.start(context);
  for (const _ of [1, 2, 3]) (await context.deliveries.next()).confirm();
  await input.close();
  // Polls can be late and never early, but for the timer's own grain.
  for (const [index, time] of times.entries()) {
    if (index > 0) assert.ok(time - (times[index - 1] ?? 0) > 60);
  }
  await server.close();
});

test("input: fields see the previous reply, empty replies are passed over, failures are survived", async () => {
  const replies: Reply[] = [{ body: "1" }, { body: "" }, { status: 500 }, { body: "2" }];
  const server = await httpServer(() => replies.shift() ?? { body: "end" });
  const context = inputContext();
  const input = httpClientInput({
    url: (batch) => `${server.url}/after/${textOfBatch(batch)}`,
    verb: "POST",
    payload: (batch) => `after ${textOfBatch(batch)}`,
    retries: 0,
    retry_period: 1,
  });
  await input.start(context);
  const first = await context.deliveries.next();
  first.confirm();
  const second = await context.deliveries.next();
  const closing = input.close();
  second.confirm();
  await closing;
  assert.equal([first.text, second.text], ["1", "2"]);
  assert.equal(
    server.requests.map(({ path, body }) => [path, body]),
    [
      ["/after/", "after "],
      ["/after/1", "after 1"],
      ["/after/1", "after 1"],
      ["/after/1", "after 1"],
    ],
  );
  assert.equal(
    context.lines.map(({ message }) => message),
    ["polling fails, trying on", "polling succeeds again"],
  );
  await server.close();
});

test("input: close cuts the pause between polls short", async () => {
  const server = await httpServer();
  const input = httpClientInput({ url: server.url, rate_limit: 3_600_000 });
  await input.start(inputContext());
  await until(() => server.requests.length === 1);
  await input.close();
  await server.close();
});

test("output: a write resolves with the 2xx of each of its messages, in order", async () => {
  const server = await httpServer(({ body }) => ({ status: body === "2" ? 204 : 200 }));
  const output = httpClientOutput({ url: server.url, headers: { "X-Kind": "order" } });
  await output.start(componentContext());
  await output.write(batchOf("1", "2", "3"));
  assert.equal(
    server.requests.map(({ method, body, headers }) => [method, body, headers["x-kind"]]),
    ["1", "2", "3"].map((body) => ["POST", body, "order"]),
  );
  await output.close();
  await server.close();
});

test("output: the first failure ends a batch and rejects it", async () => {
  const server = await httpServer(({ body }) => ({ status: body === "2" ? 500 : 200 }));
  const context = componentContext();
  const output = httpClientOutput({ url: server.url, retries: 1, retry_period: 1 });
  await output.start(context);
  const failed = await output.write(batchOf("1", "2", "3")).catch((error: unknown) => error);
  assert.instance(failed, GatewayError);
  assert.is(failed instanceof GatewayError && failed.status, 502);
  assert.equal(
    server.requests.map(({ body }) => body),
    ["1", "2", "2"],
  );
  await output.write(batchOf("1"));
  assert.equal(
    context.lines.map(({ message }) => message),
    ["HTTP requests fail", "HTTP requests succeed again"],
  );
  await output.close();
  await server.close();
});

test("output: max_in_flight bounds the requests under way, and close waits for them", async () => {
  const { held, answer } = heldAnswers();
  const server = await httpServer(answer);
  const output = httpClientOutput({ url: server.url, max_in_flight: 2 });
  await output.start(componentContext());
  const writes = ["1", "2", "3"].map((text) => output.write(batchOf(text)));
  await until(() => held.length === 2);
  held.shift()?.({});
  await until(() => server.requests.length === 3);
  assert.is(held.length, 2);
  let closed = false;
  const closing = output.close().then(() => {
    closed = true;
  });
  await new Promise(setImmediate);
  assert.not.ok(closed);
  for (const release of held) release({});
  await Promise.all([...writes, closing]);
  await server.close();
});

test("output: close cuts the pause before another attempt short", async () => {
  const server = await httpServer(() => ({ status: 500 }));
  const output = httpClientOutput({ url: server.url, retry_period: 3_600_000 });
  await output.start(componentContext());
  const write = output.write(batchOf("1")).catch((error: unknown) => error);
  await until(() => server.requests.length === 1);
  await output.close();
  assert.instance(await write, GatewayError);
  assert.is(server.requests.length, 1);
  await server.close();
});

test.run();
