import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Endpoint } from "../../../runtime/component/endpoint.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { parsePath, printPath } from "../../../runtime/http/request-path.ts";
import { createRouter, PathTable, type RoutedApi, type StreamRoute } from "../../../runtime/http/router.ts";
import type { RoutedRequest, Versions } from "../../../runtime/http/versioning.ts";
import { versionsInPath } from "../../../runtime/http/versions/in-path.ts";
import { versionsInHeader, versionsInQuery } from "../../../runtime/http/versions/keyed.ts";
import { EnvironmentError } from "../../../runtime/process/environment.ts";

function table(...patterns: string[]): (path: string) => string | undefined {
  const paths = new PathTable<string>();
  for (const pattern of patterns) paths.at(pattern, () => pattern);
  return (path) => {
    const parsed = parsePath(path);
    const match = parsed && paths.find(parsed.segments);
    return match && [match.value, ...match.values].join(" ");
  };
}

test("an exact segment beats a parameter, a parameter beats a prefix", () => {
  const find = table("/orders/new", "/orders/{id}", "/orders/", "/orders/{id}/lines/");
  assert.is(find("/orders/new"), "/orders/new");
  assert.is(find("/orders/17"), "/orders/{id} 17");
  assert.is(find("/orders/17/other"), "/orders/");
  assert.is(find("/orders/17/lines/3/x"), "/orders/{id}/lines/ 17");
  assert.is(find("/orders/"), "/orders/");
});

test("a search that took the wrong branch backtracks", () => {
  const find = table("/a/{x}/c", "/{y}/b/d");
  assert.is(find("/a/b/d"), "/{y}/b/d a");
  assert.is(find("/a/b/c"), "/a/{x}/c b");
  assert.is(find("/a/b/e"), undefined);
});

test("paths match whole segments only", () => {
  const find = table("/new", "/files/");
  assert.equal(["/newer", "/new/", "/", "/files", "/filesx"].map(find), Array(5).fill(undefined));
});

test("a parameter matches neither an empty segment nor a decoded slash as a separator", () => {
  const find = table("/orders/{id}");
  assert.is(find("/orders/"), undefined);
  assert.is(find("/orders/a%2Fb"), "/orders/{id} a/b");
});

test("escaped unreserved characters match the same route, an encoded slash never does", () => {
  const find = table("/orders/new");
  assert.is(find("/%6frders/n%65w"), "/orders/new");
  assert.is(find("/orders%2Fnew"), undefined);
  assert.is(find("//orders/new"), undefined);
  assert.is(find("/orders//new"), undefined);
});

test("ambiguous paths are rejected", () => {
  const refused = [
    "/a/../b",
    "/a/./b",
    "/..",
    "/a/%2e%2e/b",
    "/a/.%2E",
    "/a\\b",
    "/a%5cb",
    "/a%00",
    "/%zz",
    "/%",
    "",
  ];
  for (const path of refused) assert.is(parsePath(path), undefined, path);
  for (const path of ["/...", "/a..b", "/.well-known", "/a%20b"]) {
    const parsed = parsePath(path);
    assert.is(parsed && printPath(parsed), path);
  }
});

function route(
  stream: string,
  endpoint: Partial<Endpoint>,
  role: StreamRoute["role"] = "input",
): StreamRoute {
  const whole = { transport: "http", verbs: ["POST"], path: "/", handle: async () => undefined, ...endpoint };
  return { stream, role, index: 0, endpoint: whole as Endpoint }; // the tests call none of its functions
}

function api(id: string, listenPath: string, ...routes: StreamRoute[]): RoutedApi<string> {
  return { id, api: id, listenPath, routes };
}

/** Returns what the router reads of a request. */
function asked(address: string, headers: Readonly<Record<string, string>> = {}): RoutedRequest {
  const url = new URL(address, "http://any.test");
  const [target = ""] = address.replace(/^https?:\/\/[^/]*/, "").split("?");
  const path = parsePath(target) ?? { raw: [], segments: [] };
  const request = Object.assign(new IncomingMessage(new Socket()), {
    rawHeaders: Object.entries(headers).flat(),
  });
  return { request, path, query: url.search, url };
}

/** Returns a function that returns the destination of a request: `api /rest`, or the text of its refusal. */
function finder(...apis: readonly RoutedApi<string>[]) {
  const router = createRouter(apis);
  return (address: string, headers?: Readonly<Record<string, string>>) => {
    const found = router.findApi(asked(address, headers));
    if (found instanceof GatewayError) return `${found.status} ${found.message}`;
    return found && `${found.api} ${printPath(found.rest)}`;
  };
}

test("the longest listen path wins, at segment boundaries", () => {
  const found = finder(api("root", "/"), api("orders", "/orders/"), api("deep", "/orders/eu/"));
  assert.is(found("/orders/1"), "orders /1");
  assert.is(found("/orders"), "orders /");
  assert.is(found("/orders/"), "orders /");
  assert.is(found("/ordersx"), "root /ordersx");
  assert.is(found("/orders/eu"), "deep /");
  assert.is(found("/orders/europe"), "orders /europe");
  assert.is(found("/orders/eu/a%2Fb"), "deep /a%2Fb");
  assert.is(found("/"), "root /");
});

test("without an API at the root other paths match no API", () => {
  assert.is(finder(api("orders", "/orders/"))("/other"), undefined);
});

test("verbs of one path may belong to different streams", () => {
  const get = route("b", { verbs: ["GET"], path: "/{other}" });
  const router = createRouter([api("a", "/", route("a", { path: "/{id}" }), get)]);
  const found = router.findApi(asked("/7"));
  const routes = found instanceof GatewayError ? undefined : found?.routes;
  assert.equal([...(routes?.byVerb.keys() ?? [])], ["POST", "GET"]);
});

test("duplicate listen paths and routes are rejected", () => {
  const socket = (stream: string, role: StreamRoute["role"]) =>
    route(stream, { transport: "websocket" }, role);
  assert.throws(() => createRouter([api("a", "/"), api("b", "/")]), /two APIs listen at \//);
  assert.throws(
    () => createRouter([api("a", "/", route("x", {}), route("y", {}))]),
    /two routes answer POST/,
  );
  assert.throws(
    () => createRouter([api("a", "/", socket("x", "input"), socket("y", "output"))]),
    /two routes open/,
  );
  assert.throws(
    () => createRouter([api("a", "/", socket("x", "input"), socket("x", "input"))]),
    /two routes open/,
  );
  createRouter([api("a", "/", socket("x", "input"), socket("x", "output"))]);
});

test("an API with a host wins over APIs for any host, regardless of case", () => {
  const found = finder(
    api("any", "/orders/"),
    { ...api("shop", "/"), host: "shop.test" },
    { ...api("deep", "/orders/"), host: "shop.test" },
    { ...api("other", "/orders/"), host: "other.test" },
  );
  assert.is(found("http://shop.test/orders/1"), "deep /1");
  assert.is(found("http://SHOP.Test:8443/orders/1"), "deep /1");
  assert.is(found("http://shop.test./orders/1"), "deep /1");
  assert.is(found("http://shop.test/elsewhere"), "shop /elsewhere");
  assert.is(found("http://other.test/orders/1"), "other /1");
  assert.is(found("http://other.test/elsewhere"), undefined);
  assert.is(found("http://shop.test.evil.test/orders/1"), "any /1");
  assert.is(found("http://x.shop.test/orders/1"), "any /1");
  assert.is(found("http://shop.test../orders/1"), "any /1");
  assert.is(found("http://[::1]/orders/1"), "any /1");
});

test("two APIs with the same listen path and host are rejected", () => {
  const twice = [1, 2].map((number) => ({ ...api(String(number), "/a/"), host: "shop.test" }));
  assert.throws(
    () => createRouter(twice),
    (error: unknown) =>
      error instanceof EnvironmentError && /two APIs listen at \/a\/ of shop.test/.test(error.message),
  );
  createRouter([api("a", "/a/"), ...twice.slice(1)]);
});

const versions = [
  { name: "v1", id: "orders" },
  { name: "v2", id: "second" },
  { name: "__proto__", id: "odd" },
];

function versioned(choose: Versions): readonly RoutedApi<string>[] {
  const internal = { isInternal: true };
  return [
    { ...api("orders", "/orders/"), versions: choose },
    { ...api("second", "/orders/", route("new", { path: "/new" })), ...internal },
    { ...api("odd", "/odd/"), ...internal },
  ];
}

const unknown = "404 This API version does not seem to exist";

test("the first segment below the listen path selects the version, case-sensitively", () => {
  const found = finder(...versioned(versionsInPath({ versions, default: "v1" })));
  assert.is(found("/orders/v2/new"), "second /new");
  assert.is(found("/orders/v2"), "second /");
  assert.is(found("/orders/v2/"), "second /");
  assert.is(found("/orders/v1/new"), "orders /new");
  assert.is(found("/orders/%762/new"), "second /new");
  assert.is(found("/orders/v2/v1/new"), "second /v1/new");
  assert.is(found("/orders/__proto__/new"), "odd /new");
  assert.is(found("/orders"), "orders /");
  assert.is(found("/orders/"), "orders /");
  const wrong = [
    "new",
    "V2/new",
    "v2.",
    "v2%20/new",
    "v2;a/new",
    "v2%2Fnew",
    "/v2/new",
    "//",
    "toString/new",
  ];
  for (const path of wrong) assert.is(found(`/orders/${path}`), unknown, path);
  assert.is(found("/odd/new"), undefined, "an internal API is found as a version only");
});

test("unknown versions fall back to the default, with their whole path", () => {
  const found = finder(...versioned(versionsInPath({ versions, default: "v2", fallbackToDefault: true })));
  assert.is(found("/orders/new"), "second /new");
  assert.is(found("/orders/V1/new"), "second /V1/new");
  assert.is(found("/orders//v1/new"), "second //v1/new");
  assert.is(found("/orders"), "second /");
  assert.is(found("/orders/v1/new"), "orders /new");
});

test("a header or a query parameter that is given once selects the version", () => {
  const block = { versions, default: "v1", key: "X-Version" };
  const byHeader = finder(...versioned(versionsInHeader(block)));
  assert.is(byHeader("/orders/new", { "x-VERSION": " v2 " }), "second /new");
  assert.is(byHeader("/orders/new"), "orders /new");
  assert.is(byHeader("/orders/new", { "x-version": "" }), "orders /new");
  assert.is(byHeader("/orders/new", { "x-version": "v3" }), unknown);
  assert.is(byHeader("/orders/new", { "x-version": "v2", "X-Version": "v2" }), unknown);
  assert.is(byHeader("/orders/new?X-Version=v2"), "orders /new");
  const byQuery = finder(...versioned(versionsInQuery({ ...block, key: "v", fallbackToDefault: true })));
  assert.is(byQuery("/orders/new?a=1&v=v2"), "second /new");
  assert.is(byQuery("/orders/new?v=v2&v=v2"), "orders /new");
  assert.is(byQuery("/orders/new?V=v2"), "orders /new");
  assert.is(byQuery("/orders/new?%76=v2"), "second /new");
});

test.run();
