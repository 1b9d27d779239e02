import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { between, oneOf } from "../../../runtime/environment-limits.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { kafkaAddress, natsSubject } from "../../../runtime/generated/formats.ts";
import { createRequestValues } from "../../../runtime/instances/request-values.ts";
import { readRequestVariable } from "../../../runtime/instances/request-variables.ts";

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

test("a client cannot put into a slot what its field does not take", () => {
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
    [400, "The query parameter verb is not between 0 and 2"],
  );
  assert.equal(
    refusal(() => values.list(shop, kafkaAddress)),
    [400, "The header X-Shop is not made of items each of which is the address of a Kafka broker"],
  );
});

test("what is within the limit comes as it is", () => {
  const values = createRequestValues(
    new Map([
      [shop, "orders.new"],
      [verb, "2"],
    ]),
  );
  assert.is(values.text(shop, natsSubject), "orders.new");
  assert.is(values.integer(verb, between(0, 2)), 2);
  assert.equal(values.list(shop), ["orders.new"]);
});

test("a header that was taken off a request does not hide one that is spelled alike", () => {
  const request = Object.assign(new IncomingMessage(new Socket()), {
    headers: { "x-shop": undefined, x_shop: "north" },
  });
  const source = { request, url: new URL("http://localhost/"), params: new Map(), remoteAddress: "" };
  assert.is(readRequestVariable(shop, source), "north");
});

test("a header spelled with `_` does not come before the one that is meant", () => {
  const request = new IncomingMessage(new Socket());
  const source = { request, url: new URL("http://gateway/"), params: new Map(), remoteAddress: "127.0.0.1" };
  request.headers = { x_shop: "posed", "x-shop": "north" };
  assert.is(readRequestVariable(shop, source), "north");
  request.headers = { x_shop: "own" };
  assert.is(readRequestVariable(shop, source), "own");
  request.headers = {};
  assert.is(readRequestVariable(shop, source), undefined);
});

test.run();
