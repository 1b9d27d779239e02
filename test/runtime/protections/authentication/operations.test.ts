import { test } from "uvu";
import * as assert from "uvu/assert";
import { createOperationTable } from "../../../../runtime/protections/authentication/operations.ts";
import { parsePath } from "../../../../runtime/request-path.ts";

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
  ],
  general,
);

/** What a request has to satisfy: `item`, `general admin`, or nothing. */
function asked(verb: string, path: string): string {
  const parsed = parsePath(path);
  assert.ok(parsed, path);
  return find(verb, parsed)
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

test("what might be read as another operation has to satisfy both", () => {
  const rows: readonly [string, string, string][] = [
    // Open operations open nothing but themselves.
    ["GET", "/open/", "general"],
    ["GET", "//open", "general"],
    ["GET", "/OPEN", "general"],
    ["GET", "/open%2F", "general"],
    ["GET", "/folder", "general"],
    ["GET", "/folder/x", "general"],
    ["HEAD", "/open", "general"],
    // What is closed more tightly stays so.
    ["GET", "/admin/", "general admin"],
    ["GET", "//admin", "general admin"],
    ["GET", "/Admin", "general admin"],
    ["GET", "/admin%2F", "general admin"],
    ["GET", "/%2Fadmin", "general admin"],
    ["HEAD", "/admin", "general admin"],
    ["GET", "/items/a%2Fb", "general item"],
    ["GET", "/items%2Fa", "general item"],
    ["GET", "/items/5/", "general item"],
  ];
  for (const [verb, path, expected] of rows) assert.is(asked(verb, path), expected, `${verb} ${path}`);
});

test.run();
