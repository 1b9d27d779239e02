import { suite } from "uvu";
import * as assert from "uvu/assert";
import { UnfitMessages } from "../../../runtime/component/unfit-messages.ts";
import { httpClientInput } from "../../../runtime/connectors/http-client/input.ts";
import { httpClientOutput } from "../../../runtime/connectors/http-client/output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { clientCredentials } from "../../../runtime/requests/client-credentials.ts";
import { httpServer, type Reply } from "../../harness/http-server.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, componentContext, inputContext, textOfBatch } from "./contexts.ts";

const test = suite("http_client");

/** Returns responses that wait until the test sends them. */
function heldAnswers() {
  const held: ((reply: Reply) => void)[] = [];
  return { held, answer: () => new Promise<Reply>((resolve) => held.push(resolve)) };
}

test("input: each reply is a message, and the next poll waits until it is acknowledged", async () => {
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

test("input: a rejected message is redelivered without another poll", async () => {
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
  const begin = performance.now();
  await input.start(context);
  for (const _ of [1, 2, 3]) (await context.deliveries.next()).confirm();
  await input.close();
  // A slow machine only adds to the time since the start, which includes a share for each poll. Timers count whole
  // milliseconds, so each may fire one millisecond early.
  for (const [index, time] of times.entries()) assert.ok(time - begin >= index * (80 - 1));
  await server.close();
});

test("input: fields refer to the previous reply, empty replies are skipped, and polling continues after failures", async () => {
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

test("input: close cancels the pause between polls", async () => {
  const server = await httpServer();
  const input = httpClientInput({ url: server.url, rate_limit: 3_600_000 });
  await input.start(inputContext());
  await until(() => server.requests.length === 1);
  await input.close();
  await server.close();
});

test("output: a write resolves once each of its messages has a 2xx response, in order", async () => {
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
  assert.equal(context.lines, [], "the stream logs the failure of the batch");
  await output.close();
  await server.close();
});

test("output: only messages that are not confirmed are named by the failure of a batch", async () => {
  const server = await httpServer(({ body }) => ({ status: { 2: 400, 4: 500 }[body] ?? 200 }));
  const output = httpClientOutput({ url: server.url, retries: 0, drop_on: [400] });
  await output.start(componentContext());
  const refused = batchOf("1", "2", "3");
  const failure = await output.write(refused).catch((error: unknown) => error);
  assert.equal((failure as GatewayError).undelivered(refused), refused.slice(1, 2));
  assert.not.ok((failure as GatewayError).retryable);
  const failing = batchOf("1", "2", "3", "4", "5");
  const later = await output.write(failing).catch((error: unknown) => error);
  assert.equal(
    (later as GatewayError).undelivered(failing),
    [1, 3, 4].map((index) => failing[index]),
  );
  assert.ok((later as GatewayError).retryable);
  assert.equal(
    server.requests.map(({ body }) => body),
    ["1", "2", "3", "1", "2", "3", "4"],
  );
  await output.close();
  await server.close();
});

test("output: invalid requests fail their messages, and nothing is sent", async () => {
  const server = await httpServer();
  for (const batch_as_multipart of [false, true]) {
    const output = httpClientOutput({
      url: server.url,
      batch_as_multipart,
      headers: { "X-Id": (batch, index) => textOfBatch(batch.slice(index, index + 1)) },
    });
    await output.start(componentContext());
    const batch = batchOf("1\0", "2", "3\0");
    const failure = await output.write(batch).catch((error: unknown) => error);
    assert.instance(failure, UnfitMessages);
    const at = [...(failure as UnfitMessages).failures.keys()].map((message) => batch.indexOf(message));
    assert.equal(at, batch_as_multipart ? [0] : [0, 2]);
    await output.close();
  }
  assert.is(server.requests.length, 0);
  await server.close();
});

test("output: max_in_flight bounds the requests in flight, and close waits for them", async () => {
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

for (const oauth of [false, true]) {
  const awaited = oauth ? "token" : "answer";
  test(`output: the end of its stream cancels a request that waits for its ${awaited}`, async () => {
    const server = await httpServer(() => new Promise<Reply>(() => undefined));
    const ending = new AbortController();
    const oauth2 = clientCredentials({
      enabled: oauth,
      client_key: "k",
      client_secret: "s",
      token_url: server.url,
    });
    const output = httpClientOutput({ url: server.url, timeout: 3_600_000, ...(oauth2 && { oauth2 }) });
    await output.start({ ...componentContext(), signal: ending.signal });
    const writing = output.write(batchOf("m")).catch((error: unknown) => error);
    await until(() => server.requests.length === 1, { what: "the request" });
    ending.abort();
    await output.close();
    const failure = await writing;
    assert.instance(failure, GatewayError);
    assert.is((failure as GatewayError).status, 503);
    assert.is(server.requests.length, 1, "nothing is tried again");
    await server.close();
  });
}

test("output: close cancels the pause before the next attempt", async () => {
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

test("input: without a payload a poll has no body, for any verb", async () => {
  const server = await httpServer(() => ({ body: "reply" }));
  const context = inputContext();
  const input = httpClientInput({ url: server.url, verb: "POST" });
  await input.start(context);
  (await context.deliveries.next()).confirm();
  const second = await context.deliveries.next();
  const closing = input.close();
  second.confirm();
  await closing;
  assert.equal(
    server.requests.map(({ body }) => body),
    ["", ""],
  );
  await server.close();
});

test("input: a multipart reply is a batch", async () => {
  const server = await httpServer(() => ({
    headers: { "content-type": "multipart/mixed; boundary=b" },
    body: "--b\r\n\r\none\r\n--b\r\n\r\n\r\n--b\r\n\r\ntwo\r\n--b--\r\n",
  }));
  const context = inputContext();
  const input = httpClientInput({ url: server.url, rate_limit: 60_000 });
  await input.start(context);
  const delivery = await context.deliveries.next();
  assert.is(delivery.text, "one two");
  delivery.confirm();
  await input.close();
  await server.close();
});

test("input: without auto_replay_nacks a rejected message is given up", async () => {
  const server = await httpServer(({ path }) => ({ body: path }));
  const context = inputContext();
  const given: string[] = [];
  const input = httpClientInput({ url: server.url, auto_replay_nacks: false });
  await input.start({
    ...context,
    giveUp: async (batch) => {
      given.push(textOfBatch(batch));
    },
  });
  (await context.deliveries.next()).refuse(new GatewayError(502, "not now"));
  const next = await context.deliveries.next();
  assert.equal(given, ["/"]);
  assert.is(server.requests.length, 2);
  const closing = input.close();
  next.confirm();
  await closing;
  await server.close();
});

test("input: close waits only for the delivery when a certificate cannot be read", async () => {
  const input = httpClientInput({
    url: "https://127.0.0.1/",
    tls: { enabled: true, root_cas_file: "/nowhere" },
  });
  const failed = await input.start(inputContext()).catch((error: unknown) => error);
  assert.match(String(failed), "tls.root_cas_file (/nowhere) cannot be read");
  await input.close();
});

test("output: batch_as_multipart sends a batch as one request", async () => {
  const server = await httpServer();
  const output = httpClientOutput({ url: server.url, batch_as_multipart: true });
  await output.start(componentContext());
  await output.write(batchOf("1", "2"));
  await output.write(batchOf("3"));
  assert.match(server.requests[0]?.headers["content-type"] ?? "", /^multipart\/mixed; boundary=/);
  assert.match(server.requests[0]?.body ?? "", /\r\n\r\n1\r\n[\s\S]*\r\n\r\n2\r\n/);
  assert.is(server.requests[1]?.body, "3");
  await output.close();
  await server.close();
});

test("output: multipart sends form parts instead of the message", async () => {
  const server = await httpServer();
  const output = httpClientOutput({
    url: server.url,
    multipart: [
      {
        content_type: "text/plain",
        content_disposition: (batch, index) =>
          `form-data; name="${textOfBatch(batch.slice(index, index + 1))}"`,
        body: "fixed",
      },
      { body: (batch) => textOfBatch(batch) },
    ],
  });
  await output.start(componentContext());
  await output.write(batchOf("m"));
  const [request] = server.requests;
  const [, boundary = "none"] =
    /^multipart\/form-data; boundary=(.*)$/.exec(request?.headers["content-type"] ?? "") ?? [];
  assert.is(
    request?.body,
    [
      `--${boundary}`,
      "Content-Type: text/plain",
      'Content-Disposition: form-data; name="m"',
      "",
      "fixed",
      `--${boundary}`,
      "",
      "m",
      `--${boundary}--`,
      "",
    ].join("\r\n"),
  );
  const refused = await output.write(batchOf("a\r\nX-Evil: 1")).catch((error: unknown) => error);
  assert.match(String(refused), "Content-Disposition of one of its parts holds a line break");
  const halved = httpClientOutput({ url: server.url, multipart: [{ content_type: () => "text/\udcff" }] });
  await halved.start(componentContext());
  const unfit = await halved.write(batchOf("m")).catch((error: unknown) => error);
  assert.match(String(unfit), "Content-Type of one of its parts holds half a character");
  await halved.close();
  assert.is(server.requests.length, 1);
  await output.close();
  await server.close();
});

test("output: propagate_response passes the responses to the caller of the stream", async () => {
  const server = await httpServer(({ body }) => ({
    status: 201,
    headers: { "content-type": "text/plain", "x-trace": body },
    body: `reply ${body}`,
  }));
  const settings = { url: server.url, extract_headers: (name: string) => name === "x-trace" };
  const output = httpClientOutput({ ...settings, propagate_response: true });
  await output.start(componentContext());
  const { response = [] } = await output.write(batchOf("1", "2"));
  assert.is(textOfBatch(response), "reply 1 reply 2");
  assert.equal(Object.fromEntries(response[1]?.metadata ?? []), {
    "x-trace": "2",
    http_status_code: 201,
    "Content-Type": "text/plain",
  });
  await output.close();
  const silent = httpClientOutput(settings);
  await silent.start(componentContext());
  assert.equal(await silent.write(batchOf("1")), {});
  await silent.close();
  await server.close();
});

test.run();
