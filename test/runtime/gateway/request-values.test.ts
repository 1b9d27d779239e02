import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { GatewayError } from "../../../runtime/errors.ts";
import { kafkaAddress, natsSubject } from "../../../runtime/generated/formats.ts";
import { requestIdOf, settleHeaders } from "../../../runtime/http/request-origin.ts";
import { between, oneOf } from "../../../runtime/process/environment-limits.ts";
import { sourcesOf } from "../../../runtime/protections/validation/parameters.ts";
import { createRequestValues } from "../../../runtime/stream/instances/request-values.ts";
import { readRequestVariable } from "../../../runtime/stream/instances/request-variables.ts";

const shop = "context.headers_X_Shop";
const verb = "context.request_data_verb";

function refusal(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof GatewayError) return [error.status, error.message];
    throw error;
  }
}

test("a request value that its field does not accept is rejected", () => {
  const values = createRequestValues(
    new Map([
      [shop, "orders.>"],
      [verb, "7"],
    ]),
  );
  assert.equal(
    refusal(() => values.text(shop, natsSubject)),
    [400, "The header X-Shop is not a NATS subject to publish to"],
  );
  assert.equal(
    refusal(() => values.text(verb, oneOf("GET", "POST"))),
    [400, "The query parameter verb is not one of GET, POST"],
  );
  assert.equal(
    refusal(() => values.integer(verb, between(0, 2))),
    [400, "The query parameter verb is not an integer between 0 and 2"],
  );
  assert.equal(
    refusal(() => values.item(shop, kafkaAddress)),
    [400, "The header X-Shop is not the address of a Kafka broker"],
  );
});

test("a value within the limit is returned unchanged", () => {
  const values = createRequestValues(
    new Map([
      [shop, "orders.new"],
      [verb, "2"],
    ]),
  );
  assert.is(values.text(shop, natsSubject), "orders.new");
  assert.is(values.integer(verb, between(0, 2)), 2);
  assert.is(values.item(shop), "orders.new");
});

test("an item of a list stays one item", () => {
  const values = createRequestValues(new Map([[shop, "orders.new,secrets"]]));
  assert.equal(
    refusal(() => values.item(shop)),
    [400, "The header X-Shop holds a comma"],
  );
});

test("a text that contains values is parsed as its field expects", () => {
  const values = createRequestValues(
    new Map([
      [shop, "a b"],
      [verb, "7"],
    ]),
  );
  assert.is(values.together("duration", `${values.text(verb)}s`, undefined, verb), 7000);
  assert.equal(
    refusal(() => values.together("duration", `${values.text(shop)}s`, undefined, shop)),
    [400, "The header X-Shop does not read as a duration such as 5s"],
  );
  assert.equal(
    refusal(() => values.together("text", `orders.${values.text(shop)}`, natsSubject, shop, verb)),
    [400, "The header X-Shop and The query parameter verb is not a NATS subject to publish to"],
  );
});

test("a removed header does not hide one with a similar spelling", () => {
  const request = Object.assign(new IncomingMessage(new Socket()), {
    headers: { "x-shop": undefined, x_shop: "north" },
  });
  const source = { request, url: new URL("http://localhost/"), params: new Map(), remoteAddress: "" };
  assert.is(readRequestVariable(shop, source), "north");
});

test("a header spelled with `_` does not override the one spelled with `-`", () => {
  const request = new IncomingMessage(new Socket());
  const source = { request, url: new URL("http://gateway/"), params: new Map(), remoteAddress: "127.0.0.1" };
  request.headers = { x_shop: "posed", "x-shop": "north" };
  assert.is(readRequestVariable(shop, source), "north");
  request.headers = { x_shop: "own" };
  assert.is(readRequestVariable(shop, source), "own");
  request.headers = {};
  assert.is(readRequestVariable(shop, source), undefined);
});

test("a request gets its id on first access, and keeps it", () => {
  const request = new IncomingMessage(new Socket());
  request.headers = { "x-request-id": "the client's" };
  request.rawHeaders.push("x-request-id", "the client's");
  settleHeaders(request, undefined);
  const source = { request, url: new URL("http://gateway/"), params: new Map(), remoteAddress: "" };
  const id = readRequestVariable("context.request_id", source);
  assert.match(String(id), /^[0-9a-f]{8}-/);
  assert.is(readRequestVariable("context.headers_X_Request_Id", source), id);
  assert.is(requestIdOf(request), id);
  assert.equal(request.rawHeaders, ["X-Request-Id", id]);
  const asked = new IncomingMessage(new Socket());
  asked.headers = {};
  settleHeaders(asked, undefined);
  const sources = sourcesOf({ request: asked, query: "" }, new Map());
  assert.match(String(sources.header("X-Request-Id")), /^[0-9a-f]{8}-/);
  const other = new IncomingMessage(new Socket());
  other.headers = {};
  assert.is(requestIdOf(other), undefined);
});

test.run();
