import { test } from "uvu";
import * as assert from "uvu/assert";
import { GatewayError } from "../../../runtime/errors.ts";
import type { Call, ChainStep } from "../../../runtime/http/call.ts";
import { createChain, createProtectionChain, places, protectionPlaces } from "../../../runtime/http/chain.ts";

const call = {} as Call; // the steps of these tests do not read it

test("access control runs before limits, limits before validation, and protections before streams", async () => {
  assert.equal(places, [
    "cors",
    "oauth",
    "portal",
    "listen-path",
    "workers",
    "versions",
    "protections",
    "streams",
    "upstream",
  ]);
  assert.equal(protectionPlaces, [
    "ip-access",
    "client-certificate",
    "request-size",
    "authentication",
    "key-and-policy",
    "rate-limit",
    "validation",
  ]);
  const passed: string[] = [];
  const noting = (names: readonly string[]) =>
    Object.fromEntries(
      [...names].reverse().map((place): [string, ChainStep] => [
        place,
        () => {
          passed.push(place);
          return place.length % 2 === 0 ? "next" : Promise.resolve("next");
        },
      ]),
    );
  assert.is(await createChain(noting(places))(call), "next");
  assert.is(await createProtectionChain(noting(protectionPlaces))(call), "next");
  assert.equal(passed, [...places, ...protectionPlaces]);
});

test("at one place of an API the steps of an earlier set run first", () => {
  const passed: string[] = [];
  const note = (name: string): ChainStep => {
    return () => {
      passed.push(name);
      return "next";
    };
  };
  createProtectionChain(
    { authentication: note("host") },
    { "ip-access": note("address"), authentication: note("document") },
  )(call);
  assert.equal(passed, ["address", "host", "document"]);
});

test("a step that answers or rejects is the last", async () => {
  const refusal = new GatewayError(401, "No key");
  for (const result of ["done", refusal] as const) {
    for (const given of [result, Promise.resolve(result)]) {
      const chain = createChain({ cors: () => "next", protections: () => given, upstream: fail });
      assert.is(await chain(call), result);
    }
  }
});

test("synchronous steps add no delay", () => {
  assert.is(createChain({ cors: () => "next", streams: () => "done" })(call), "done");
});

function fail(): never {
  throw new Error("a step after the end of the chain was called");
}

test.run();
