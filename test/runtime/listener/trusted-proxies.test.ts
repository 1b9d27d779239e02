import { once } from "node:events";
import { request } from "node:http";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { trustedProxies } from "../../../runtime/http/listener/trusted-proxies.ts";
import { EnvironmentError } from "../../../runtime/process/environment.ts";
import type { Protection } from "../../../runtime/protection.ts";
import { proxyTo } from "../../../runtime/proxy/upstream.ts";
import { httpServer } from "../../harness/http-server.ts";
import { type ServedGateway, serveWith } from "./serving.ts";

/** What the steps of the chain receive. */
interface Seen {
  readonly address: string;
  readonly url: string;
  readonly id: string;
}

async function serveBehind(networks: readonly string[] | undefined, upstream?: string) {
  const seen: Seen[] = [];
  const witness: Protection = {
    place: "ip-access",
    start: () => ({
      check({ remoteAddress, url, requestId }) {
        seen.push({ address: remoteAddress, url: url.href, id: requestId });
        return "next";
      },
    }),
  };
  const gateway = await serveWith({
    ...(networks && { trustedProxies: () => trustedProxies(networks) }),
    apis: [
      {
        id: "a",
        // Without an upstream it needs a path below `/`, because an API at `/` that serves nothing is not mounted.
        listenPath: upstream === undefined ? "/x/" : "/",
        streams: {},
        protections: () => [witness],
        ...(upstream !== undefined && { upstream: () => proxyTo({ url: upstream }) }),
      },
    ],
  });
  return { gateway, seen };
}

async function ask(gateway: ServedGateway, headers: Readonly<Record<string, string | string[]>>) {
  const sent = request(`${gateway.url}/x`, {
    headers: { host: "shop.test", ...headers },
    agent: false,
  }).end();
  const [response] = await once(sent, "response");
  response.resume();
  return { status: response.statusCode, id: response.headers["x-request-id"] };
}

const networks = ["127.0.0.0/8", "10.0.0.0/8", "::1"];

test("the last untrusted address is the client address", async () => {
  const { gateway, seen } = await serveBehind(networks);
  const rows: readonly [Readonly<Record<string, string | string[]>>, string, string][] = [
    [{}, "127.0.0.1", "http://shop.test/x"],
    [{ "x-forwarded-for": "192.0.2.1" }, "192.0.2.1", "http://shop.test/x"],
    [{ "x-forwarded-for": "203.0.113.9, 192.0.2.1" }, "192.0.2.1", "http://shop.test/x"],
    [{ "x-forwarded-for": "203.0.113.9, 192.0.2.1, 10.1.1.1" }, "192.0.2.1", "http://shop.test/x"],
    [{ "x-forwarded-for": ["203.0.113.9", "192.0.2.1"] }, "192.0.2.1", "http://shop.test/x"],
    [{ "x-forwarded-for": "10.9.9.9, 10.1.1.1" }, "10.9.9.9", "http://shop.test/x"],
    [{ "x-forwarded-for": "192.0.2.1:4711" }, "192.0.2.1", "http://shop.test/x"],
    [{ "x-forwarded-for": "[2001:db8::1]:4711" }, "2001:db8::1", "http://shop.test/x"],
    [{ "x-forwarded-for": "::ffff:192.0.2.1" }, "192.0.2.1", "http://shop.test/x"],
    [{ "x-forwarded-for": "::FFFF:C000:0201" }, "192.0.2.1", "http://shop.test/x"],
    [{ "x-forwarded-for": "0:0:0:0:0:ffff:192.0.2.1" }, "192.0.2.1", "http://shop.test/x"],
    [{ "x-forwarded-for": "2001:0DB8:0:00:0::1" }, "2001:db8::1", "http://shop.test/x"],
    [{ "x-forwarded-for": "fe80::1%eth0" }, "fe80::1", "http://shop.test/x"],
    [
      { "x-forwarded-for": "192.0.2.1", forwarded: 'for="[::ffff:c000:201]:80"' },
      "192.0.2.1",
      "http://shop.test/x",
    ],
    // An entry that is not an address hides the entries before it.
    [{ "x-forwarded-for": "192.0.2.1, unknown, 10.1.1.1" }, "10.1.1.1", "http://shop.test/x"],
    [{ "x-forwarded-for": "192.0.2.1, , 10.1.1.1" }, "10.1.1.1", "http://shop.test/x"],
    [{ "x-forwarded-proto": "https" }, "127.0.0.1", "https://shop.test/x"],
    [{ "x-forwarded-proto": "javascript" }, "127.0.0.1", "http://shop.test/x"],
    [
      {
        "x-forwarded-for": "192.0.2.1, 10.1.1.1",
        "x-forwarded-proto": "https, http",
        "x-forwarded-host": "a.test, b.test",
      },
      "192.0.2.1",
      "https://a.test/x",
    ],
    [{ forwarded: 'for=192.0.2.1;proto=https;host="b.test:8443"' }, "192.0.2.1", "https://b.test:8443/x"],
    [
      { forwarded: 'for=203.0.113.9, for="[2001:db8::1]:80", for=10.0.0.2' },
      "2001:db8::1",
      "http://shop.test/x",
    ],
    [{ forwarded: 'for="a,b;for=192.0.2.1", for=10.0.0.2' }, "10.0.0.2", "http://shop.test/x"],
    [{ forwarded: "for=_hidden" }, "127.0.0.1", "http://shop.test/x"],
    [{ forwarded: "for=192.0.2.1", "x-forwarded-for": "192.0.2.1" }, "192.0.2.1", "http://shop.test/x"],
  ];
  for (const [headers, address, url] of rows) {
    assert.is((await ask(gateway, headers)).status, 404);
    const { address: reported, url: asked } = seen.at(-1) ?? {};
    assert.equal([reported, asked], [address, url], JSON.stringify(headers));
  }
  await gateway.close();
});

test("contradictory headers and invalid hosts are rejected", async () => {
  const { gateway, seen } = await serveBehind(networks);
  const rows = [
    { forwarded: "for=192.0.2.1", "x-forwarded-for": "203.0.113.9" },
    { "x-forwarded-host": "a.test/../b" },
    { "x-forwarded-host": "a.test@b.test" },
  ];
  for (const headers of rows) assert.is((await ask(gateway, headers)).status, 400, JSON.stringify(headers));
  assert.is(seen.length, 0);
  await gateway.close();
});

test("forwarding headers from an untrusted peer are ignored", async () => {
  for (const list of [undefined, ["10.0.0.0/8"]]) {
    const upstream = await httpServer();
    const { gateway, seen } = await serveBehind(list, upstream.url);
    const { status, id } = await ask(gateway, {
      "x-forwarded-for": "10.0.0.1",
      "x-forwarded-proto": "https",
      "x-forwarded-host": "inside.test",
      "x-real-ip": "10.0.0.1",
      forwarded: "for=10.0.0.1;proto=https",
      "x-request-id": "mine",
    });
    assert.is(status, 200);
    assert.is(id, undefined);
    assert.is(seen[0]?.address, "127.0.0.1");
    assert.is(seen[0]?.url, "http://shop.test/x");
    assert.is.not(seen[0]?.id, "mine");
    const headers = upstream.requests[0]?.headers ?? {};
    assert.is(headers["x-forwarded-for"], "127.0.0.1");
    assert.is(headers["x-forwarded-proto"], "http");
    assert.is(headers["x-real-ip"], undefined);
    assert.is(headers.forwarded, undefined);
    assert.is(headers["x-request-id"], seen[0]?.id);
    await gateway.close();
    await upstream.close();
  }
});

test("valid request ids from trusted proxies are kept; others are replaced", async () => {
  const { gateway, seen } = await serveBehind(networks);
  const kept = await ask(gateway, { "x-request-id": "req-1.a:b" });
  assert.is(kept.id, "req-1.a:b");
  for (const bad of ["a b", "a\tb", "x".repeat(129), '{"a":1}', ""]) {
    const { id } = await ask(gateway, { "x-request-id": bad });
    assert.match(id, /^[0-9a-f-]{36}$/, bad);
  }
  assert.is(new Set(seen.map(({ id }) => id)).size, seen.length);
  await gateway.close();
});

test("an entry that is not an address keeps the gateway from starting", () => {
  for (const entry of ["proxy", "10.0.0.0/33", ""]) {
    assert.throws(
      () => trustedProxies([entry]),
      (error: unknown) => error instanceof EnvironmentError,
    );
  }
});

test.run();
