import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Endpoint } from "../../../runtime/component.ts";
import { PathTable } from "../../../runtime/path-table.ts";
import { parsePath, printPath } from "../../../runtime/request-path.ts";
import { createRouter, type RoutedApi, type StreamRoute } from "../../../runtime/router.ts";

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

test("a search that took a wrong turn goes back", () => {
  const find = table("/a/{x}/c", "/{y}/b/d");
  assert.is(find("/a/b/d"), "/{y}/b/d a");
  assert.is(find("/a/b/c"), "/a/{x}/c b");
  assert.is(find("/a/b/e"), undefined);
});

test("paths match whole segments only", () => {
  const find = table("/new", "/files/");
  assert.equal(["/newer", "/new/", "/", "/files", "/filesx"].map(find), Array(5).fill(undefined));
});

test("a parameter takes neither an empty segment nor a decoded slash as a separator", () => {
  const find = table("/orders/{id}");
  assert.is(find("/orders/"), undefined);
  assert.is(find("/orders/a%2Fb"), "/orders/{id} a/b");
});

test("escapes of plain characters spell the same route, an encoded slash never does", () => {
  const find = table("/orders/new");
  assert.is(find("/%6frders/n%65w"), "/orders/new");
  assert.is(find("/orders%2Fnew"), undefined);
  assert.is(find("//orders/new"), undefined);
  assert.is(find("/orders//new"), undefined);
});

test("paths that servers read in different ways are refused", () => {
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
  return { stream, role, index: 0, endpoint: whole as Endpoint }; // nothing of it is called here
}

function api(id: string, listenPath: string, ...routes: StreamRoute[]): RoutedApi<string> {
  return { api: id, listenPath, routes };
}

test("the longest listen path wins, at the borders of segments", () => {
  const router = createRouter([api("root", "/"), api("orders", "/orders/"), api("deep", "/orders/eu/")]);
  const found = (path: string) => {
    const parsed = parsePath(path);
    const match = parsed && router.findApi(parsed);
    return match && `${match.api} ${printPath(match.rest)}`;
  };
  assert.is(found("/orders/1"), "orders /1");
  assert.is(found("/orders"), "orders /");
  assert.is(found("/orders/"), "orders /");
  assert.is(found("/ordersx"), "root /ordersx");
  assert.is(found("/orders/eu"), "deep /");
  assert.is(found("/orders/europe"), "orders /europe");
  assert.is(found("/orders/eu/a%2Fb"), "deep /a%2Fb");
  assert.is(found("/"), "root /");
});

test("without an API at the root other paths belong to none", () => {
  const path = parsePath("/other");
  assert.is(path && createRouter([api("orders", "/orders/")]).findApi(path), undefined);
});

test("verbs of one path may belong to different streams", () => {
  const get = route("b", { verbs: ["GET"], path: "/{other}" });
  const router = createRouter([api("a", "/", route("a", { path: "/{id}" }), get)]);
  const path = parsePath("/7");
  const routes = path && router.findApi(path)?.findRoutes();
  assert.equal([...(routes?.value.byVerb.keys() ?? [])], ["POST", "GET"]);
});

test("two claims on one route are refused", () => {
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

test.run();
