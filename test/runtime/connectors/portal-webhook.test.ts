import { test } from "uvu";
import * as assert from "uvu/assert";
import type { ComponentContext, Output } from "../../../runtime/component/component.ts";
import { GatewayScope } from "../../../runtime/component/gateway-scope.ts";
import { portalWebhookOutput } from "../../../runtime/connectors/portal-webhook/output.ts";
import {
  eventsUrl,
  type RemotePortalOptions,
  remotePortalWebhookOutput,
} from "../../../runtime/connectors/portal-webhook/remote-output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { Message } from "../../../runtime/message/message.ts";
import { EventQueue } from "../../../runtime/portal/event-queue.ts";
import {
  largestEventHeaders,
  scopedEvents,
  type WebhookEvent,
} from "../../../runtime/portal/webhook-events.ts";
import { createLogger } from "../../../runtime/process/log.ts";
import { httpServer, type ReceivedRequest } from "../../harness/http-server.ts";

const context: ComponentContext = {
  log: createLogger("silent"),
  signal: new AbortController().signal,
  gateway: new GatewayScope(),
};

function message(text: string, metadata: Readonly<Record<string, string>> = {}): Message {
  return Message.fromBytes(Buffer.from(text), new Map(Object.entries(metadata)));
}

async function remote(portal_url: string, options: Partial<RemotePortalOptions> = {}): Promise<Output> {
  const output = remotePortalWebhookOutput({
    event_type: "order.made",
    token: "token",
    ...options,
    portal_url,
  });
  await output.start(context);
  return output;
}

function textsOf({ body }: ReceivedRequest): readonly string[] {
  const { events }: { readonly events: readonly { readonly body: string }[] } = JSON.parse(body);
  return events.map((event) => Buffer.from(event.body, "base64").toString());
}

/** Returns the error of a write. */
async function failureOf(work: Promise<unknown>): Promise<GatewayError> {
  const failure = await work.then(() => undefined).catch((error: unknown) => error);
  if (failure instanceof GatewayError) return failure;
  throw new Error("it did not fail as gateways do", { cause: failure });
}

test("the portal receives the organisation of the stream", async () => {
  const owners: (string | undefined)[] = [];
  const gateway = new GatewayScope();
  gateway.get(scopedEvents).take = async (_, organisation) => {
    owners.push(organisation);
  };
  for (const organisation of ["red", undefined]) {
    const output = portalWebhookOutput({ event_type: () => "order" });
    await output.start({ ...context, gateway, organisation });
    await output.write([message("a", {})]);
    await output.close?.();
  }
  assert.equal(owners, ["red", undefined]);
});

test("the gateway's own portal receives the content of the messages", async () => {
  const taken: WebhookEvent[] = [];
  const gateway = new GatewayScope();
  gateway.get(scopedEvents).take = async (events) => {
    taken.push(...events);
  };
  const output = portalWebhookOutput({
    event_type: (batch, index) => `order.${batch[index]?.bytes().toString()}`,
    secret: "secret of the output",
    headers: { "X-Shop": "one" },
  });
  await output.start({ ...context, gateway });
  await output.write([
    message("a", { "Content-Type": "text/plain" }),
    message("b", { "Content-Type": "\u{1F600}" }),
  ]);
  assert.equal(
    taken.map(({ body, ...event }) => ({ ...event, body: Buffer.from(body).toString() })),
    [
      {
        event: "order.a",
        headers: { "content-type": "text/plain", "x-shop": "one" },
        secret: "secret of the output",
        body: "a",
      },
      {
        event: "order.b",
        headers: { "content-type": "application/json", "x-shop": "one" },
        secret: "secret of the output",
        body: "b",
      },
    ],
  );
  await output.close();
});

test("invalid types and headers fail their message permanently, and block no other event", async () => {
  const gateway = new GatewayScope();
  const taken: WebhookEvent[] = [];
  gateway.get(scopedEvents).take = async (events) => void taken.push(...events);
  const refused: readonly { type?: string; header?: string; content?: string }[] = [
    { header: "a\nb" },
    { header: "a\0" },
    { header: "x".repeat(largestEventHeaders) },
    { type: "x".repeat(largestEventHeaders) },
    { header: "é".repeat(largestEventHeaders / 2) },
    { content: `text/plain; a=${"x".repeat(largestEventHeaders)}` },
    { type: "" },
    { type: "a\r\nX-Evil: b" },
  ];
  for (const { type = "a", header = "", content = "text/plain" } of refused) {
    const output = portalWebhookOutput({ event_type: () => type, headers: { "X-Shop": () => header } });
    await output.start({ ...context, gateway });
    const failure = await failureOf(output.write([message("a", { "Content-Type": content })]));
    assert.equal([failure.status, failure.retryable], [422, false], type + header);
  }
  assert.equal(taken, []);
  const output = portalWebhookOutput({ event_type: "a", headers: { "X-Shop": "käse" } });
  await output.start({ ...context, gateway });
  await output.write([message("a")]);
  assert.is(Buffer.from(taken[0]?.headers["x-shop"] ?? "", "latin1").toString(), "käse");
});

test("without a portal in the gateway the output does not start", async () => {
  const failure = await failureOf(
    portalWebhookOutput({ event_type: "a" }).start({ ...context, gateway: new GatewayScope() }),
  );
  assert.is(failure.message, "This gateway has no portal");
});

test("a remote portal is called with the token, below its base URL", async () => {
  const server = await httpServer();
  const output = await remote(`${server.url}/base/`, { headers: { "X-Shop": "one" }, secret: "12345678" });
  await output.write([message("a")]);
  const [request] = server.requests;
  assert.ok(request);
  assert.equal([request.method, request.path], ["POST", "/base/api/portal/webhooks/events"]);
  assert.is(request.headers.authorization, "token");
  assert.equal(JSON.parse(request.body), {
    events: [
      {
        event_type: "order.made",
        headers: { "content-type": "application/json", "x-shop": "one" },
        secret: "12345678",
        body: "YQ==",
      },
    ],
  });
  await output.close();
  await server.close();
});

test("portal URLs may include the path of the portal API", () => {
  for (const [address, expected] of [
    ["https://a", "https://a/api/portal/webhooks/events"],
    ["https://a:1/b/", "https://a:1/b/api/portal/webhooks/events"],
    ["https://a/api/portal", "https://a/api/portal/webhooks/events"],
    ["https://a/api/portal/?x#y", "https://a/api/portal/webhooks/events"],
  ] as const) {
    assert.is(eventsUrl(address).href, expected);
  }
});

test("waiting events are sent together, in order", async () => {
  const first = Promise.withResolvers<object>();
  const server = await httpServer((request) => (textsOf(request).includes("0") ? first.promise : {}));
  const output = await remote(server.url);
  const writes = ["0", "1", "2", "3"].map((text) => output.write([message(text)]));
  first.resolve({});
  await Promise.all(writes);
  assert.equal(server.requests.map(textsOf), [["0"], ["1", "2", "3"]]);
  await output.close();
  await server.close();
});

test("a rejected event fails alone, and is not sent again", async () => {
  const server = await httpServer((request) => ({ status: textsOf(request).includes("bad") ? 422 : 200 }));
  const output = await remote(server.url);
  const outcomes = await Promise.allSettled(["a", "bad", "b"].map((text) => output.write([message(text)])));
  assert.equal(
    outcomes.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
  const [, refused] = outcomes;
  assert.not.ok(refused?.status === "rejected" && refused.reason.retryable);
  await output.close();
  await server.close();
});

test("an unavailable portal is retried", async () => {
  let count = 0;
  const server = await httpServer(() => {
    count += 1;
    return { status: count === 1 ? 503 : 200 };
  });
  const output = await remote(server.url);
  await output.write([message("a")]);
  assert.equal(server.requests.map(textsOf), [["a"], ["a"]]);
  await output.close();
  await server.close();
});

test("an unknown token is a retryable failure", async () => {
  const server = await httpServer(() => ({ status: 401 }));
  const output = await remote(server.url);
  const failure = await failureOf(output.write([message("a")]));
  assert.equal([failure.status, failure.retryable, server.requests.length], [502, true, 4]);
  await output.close();
  assert.ok((await failureOf(output.write([message("b")]))).retryable);
  await server.close();
});

test("large messages are sent in several requests", async () => {
  const server = await httpServer();
  const output = await remote(server.url);
  const large = "x".repeat(3 * 1024 * 1024);
  await output.write([message(large), message("a"), message(large), message("b")]);
  assert.equal(
    server.requests.map((request) => textsOf(request).map(({ length }) => length)),
    [[large.length], [1], [large.length], [1]],
  );
  await output.close();
  await server.close();
});

test("events of different keys are sent separately, and a closed queue accepts none", async () => {
  const groups: [string, number][] = [];
  const queue = new EventQueue<string>(async (events, key) => {
    groups.push([key, events.length]);
  });
  const event: WebhookEvent = { event: "a", headers: {}, body: Buffer.from("") };
  await Promise.all(["a", "a", "b", "a"].map((key) => queue.put([event], key)));
  assert.equal(groups, [
    ["a", 1],
    ["a", 1],
    ["b", 1],
    ["a", 1],
  ]);
  await queue.close();
  assert.is((await failureOf(queue.put([event], "a"))).status, 503);
});

test.run();
