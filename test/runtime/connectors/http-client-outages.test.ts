import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { httpClientInput } from "../../../runtime/connectors/http-client/input.ts";
import { MappingError } from "../../../runtime/errors.ts";
import { httpServer, type Reply } from "../../harness/http-server.ts";
import { Queue } from "../../harness/queue.ts";
import { until } from "../../harness/wait.ts";
import { inputContext, outagesInto } from "./contexts.ts";

const test = suite("http_client, when its server fails");

test("failing polls are reported as an outage with their reason, which ends when one succeeds", async () => {
  const replies: Reply[] = [{ status: 503 }, { status: 503 }, { status: 404 }, { body: "1" }];
  const server = await httpServer(() => replies.shift() ?? { status: 204 });
  const outages: (string | undefined)[] = [];
  const context = { ...inputContext(), beginOutage: outagesInto(outages) };
  const input = httpClientInput({ url: server.url, retries: 0, retry_period: 1, rate_limit: 1 });
  await input.start(context);
  (await context.deliveries.next()).confirm();
  await input.close();
  const [unavailable, missing] = [503, 404].map(
    (status) => `polling fails: source_failed: The HTTP request was answered with status ${status}`,
  );
  // A new outage begins before the outage that it replaces ends.
  assert.equal(outages, [unavailable, missing, undefined, undefined]);
  await server.close();
});

test("an unreachable server and a URL that cannot be computed are outages", async () => {
  const server = await httpServer();
  await server.close();
  const secret = "quoted from the message";
  const computed = () => {
    throw new MappingError(secret);
  };
  const stream = { enabled: true };
  for (const own of [
    { url: server.url },
    { url: server.url, stream },
    { url: computed },
    { url: computed, stream },
  ]) {
    const outages: (string | undefined)[] = [];
    const context = { ...inputContext(), beginOutage: outagesInto(outages) };
    const input = httpClientInput({ ...own, retries: 0, retry_period: 1 });
    await input.start(context);
    await until(() => outages.length === 1);
    await input.close();
    const what = "stream" in own ? "reading the stream" : "polling";
    const why =
      own.url === computed
        ? "mapping_failed"
        : `unreachable: The HTTP request failed: server \`${new URL(server.url).host}\` unreachable (connection refused)`;
    assert.equal(outages, [`${what} fails: ${why}`]);
    assert.not.match(JSON.stringify(context.lines), secret);
  }
});

test("a reconnected stream ends the outage, even without data", async () => {
  const responses = new Queue<ServerResponse>();
  const server = createServer((_, response) => {
    response.writeHead(200).flushHeaders();
    responses.push(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has this kind of address
  const outages: (string | undefined)[] = [];
  const context = { ...inputContext(), beginOutage: outagesInto(outages) };
  const input = httpClientInput({
    url: `http://127.0.0.1:${port}/`,
    retry_period: 1,
    stream: { enabled: true },
  });
  await input.start(context);
  (await responses.next()).destroy();
  await responses.next();
  await until(() => outages.length === 2);
  assert.is(outages[1], undefined);
  await input.close();
  server.close();
});

test.run();
