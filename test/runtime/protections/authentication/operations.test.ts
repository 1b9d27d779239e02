import { test } from "uvu";
import * as assert from "uvu/assert";
import { parsePath } from "../../../../runtime/http/request-path.ts";
import { createRouter } from "../../../../runtime/http/router.ts";
import { createOperationTable } from "../../../../runtime/protections/authentication/operations.ts";

const general = [new Map([["general", []]])];
const scheme = (name: string) => [new Map([[name, []]])];

const find = createOperationTable(
  [
    { path: "/open", verb: "GET", requirements: [] },
    { path: "/admin", verb: "GET", requirements: scheme("admin") },
    { path: "/items/{id}", verb: "GET", requirements: scheme("item") },
    { path: "/items/new", verb: "GET", requirements: scheme("new") },
    { path: "/items/new", verb: "POST", requirements: scheme("post") },
    { path: "/{kind}/all", verb: "GET", requirements: scheme("all") },
    { path: "/", verb: "GET", requirements: scheme("root") },
    { path: "/folder/", verb: "GET", requirements: [] },
    { path: "/rooms/{name}", verb: "GET", requirements: [] },
    { path: "/rooms/{name}", verb: "DELETE", requirements: scheme("owner") },
    { path: "/rooms/Secret", verb: "GET", requirements: general },
    { path: "/rooms/", verb: "GET", requirements: scheme("list") },
    { path: "/in/", verb: "GET", requirements: scheme("in") },
    { path: "/in/{id}", verb: "GET", requirements: [] },
    { path: "/in/open", verb: "GET", requirements: [] },
    { path: "/in/told", verb: "POST", requirements: [] },
  ],
  general,
);

const endpoint = (path: string) =>
  ({ transport: "http", path, verbs: ["GET"], handle: async () => assert.unreachable() }) as const;
const routes = ["/rooms/feed", "/rooms/{id}/feed", "/tree/", "/in/"].map((path) => ({
  ...({ stream: "feed", role: "output", index: 0 } as const),
  endpoint: endpoint(path),
}));
const router = createRouter([{ id: "a", api: "a", listenPath: "/", routes }]);

/** Returns the schemes that a request must satisfy, such as `item` or `general admin`, or an empty text. */
function asked(verb: string, path: string): string {
  const parsed = parsePath(path);
  assert.ok(parsed, path);
  const url = new URL("http://localhost");
  const found = router.findApi({ path: parsed, url, request: { headers: {} } } as never);
  assert.ok(found !== undefined && "rest" in found);
  return find(verb, found)
    .flatMap((list) => list.flatMap((requirement) => [...requirement.keys()]))
    .join(" ");
}

test("operations are found by verb and path", () => {
  const rows: readonly [string, string, string][] = [
    ["GET", "/open", ""],
    ["GET", "/admin", "admin"],
    ["GET", "/items/5", "item"],
    ["GET", "/items/new", "new"],
    ["GET", "/items/a%20b", "item"],
    ["GET", "/things/all", "all"],
    ["GET", "/items/all", "item"],
    ["GET", "/", "root"],
    ["GET", "/folder/", ""],
    ["GET", "/%6Fpen", ""],
    ["POST", "/open", "general"],
    ["POST", "/items/new", "post"],
    ["GET", "/else", "general"],
    ["GET", "/items/5/more", "general"],
  ];
  for (const [verb, path, expected] of rows) assert.is(asked(verb, path), expected, `${verb} ${path}`);
});

test("a request that might match another operation must satisfy both", () => {
  const rows: readonly [string, string, string][] = [
    // An open operation opens only its own path.
    ["GET", "/open/", "general"],
    ["GET", "//open", "general"],
    ["GET", "/OPEN", "general"],
    ["GET", "/open%2F", "general"],
    ["GET", "/folder", "general"],
    ["GET", "/folder/x", "general"],
    ["HEAD", "/open", "general"],
    // A more protected operation stays protected.
    ["GET", "/admin/", "general admin"],
    ["GET", "//admin", "general admin"],
    ["GET", "/Admin", "general admin"],
    ["GET", "/admin%2F", "general admin"],
    ["GET", "/%2Fadmin", "general admin"],
    ["HEAD", "/admin", "general admin"],
    ["GET", "/items/a%2Fb", "general item"],
    ["GET", "/items%2Fa", "general item"],
    ["GET", "/items/5/", "general item"],
    // Some servers do not consider parameters of segments a part of the path.
    ["GET", "/admin;a=b", "general admin"],
    ["GET", "/;a=b/admin", "general admin"],
    ["GET", "/admin%3Ba=b", "general admin"],
    // Some servers also ignore extensions, decode twice, or normalise letters.
    ["GET", "/admin.json", "general admin"],
    ["GET", "/admin.tar.gz", "general admin"],
    ["GET", "/admin.", "general admin"],
    ["GET", "/admin%20", "general admin"],
    ["GET", "/%2561dmin", "general admin"],
    ["GET", "/%252561dmin/", "general admin"],
    ["GET", "/adm%C4%B1n", "general admin"],
    ["GET", "/%EF%BD%81dmin", "general admin"],
    ["GET", "/Admin;a=b.JSON/", "general admin"],
    ["GET", "/%2561dmin%252f;a", "general admin"],
    ["GET", "/rooms/;a=b", "list"],
    // For servers that distinguish case or trailing dots, it is another item.
    ["GET", "//items/NEW", "general new item"],
    ["GET", "//items/new.", "general new item"],
    ["GET", "/items//new%20", "general new item"],
  ];
  for (const [verb, path, expected] of rows) assert.is(asked(verb, path), expected, `${verb} ${path}`);
});

test("an operation on a prefix route covers what is below it", () => {
  const rows: readonly [string, string, string][] = [
    ["GET", "/in/", "in"],
    ["GET", "/in/a/b", "in"],
    ["GET", "/in//", "in"],
    ["GET", "/in/told", "in"],
    ["GET", "/in/open", ""],
    ["GET", "/in/a", "general in"],
    ["GET", "/IN/a/b", "general in"],
    ["GET", "/in%2Fa/b", "general in"],
    ["POST", "/in/a/b", "general"],
  ];
  for (const [verb, path, expected] of rows) assert.is(asked(verb, path), expected, `${verb} ${path}`);
});

test("a parameter does not match a segment that another path spells out", () => {
  const rows: readonly [string, string, string][] = [
    ["GET", "/rooms/blue", ""],
    ["DELETE", "/rooms/blue", "owner"],
    ["GET", "/rooms/Secret", "general"],
    ["GET", "/rooms/secret", "general"],
    ["GET", "/rooms/%73ecret", "general"],
    ["GET", "/rooms/secret;a=b", "general"],
    // Servers that match the method first read this as the path with a parameter.
    ["DELETE", "/rooms/Secret", "general owner"],
    // Routes of streams without a declaration are treated as the rest of the API.
    ["GET", "/rooms/feed", "general"],
    ["GET", "/rooms/blue/feed", "general"],
    ["GET", "/tree/all", "general all"],
  ];
  for (const [verb, path, expected] of rows) assert.is(asked(verb, path), expected, `${verb} ${path}`);
});

test.run();
