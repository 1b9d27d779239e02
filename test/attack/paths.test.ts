import { test } from "uvu";
import { type Attempt, endWell, refuseAll, request, startVictim } from "./attacked.ts";

const victim = await startVictim();

/** Paths that try to reach `/orders/new` from an open route, or to evade path comparison. */
const targets: readonly string[] = [
  "/open/../orders/new",
  "/open/..%2forders/new",
  "/open/%2e%2e/orders/new",
  "/open/.%2e/orders/new",
  "/open/..;/orders/new",
  "/open/..%5corders/new",
  "/open/..\\orders/new",
  "/open/%252e%252e/orders/new",
  "/open/%c0%ae%c0%ae/orders/new",
  "/open/%ef%bc%8e%ef%bc%8e/orders/new",
  "/open//orders/new",
  "//orders/new",
  "/./orders/new",
  "/orders/./new",
  "/orders//new",
  "/orders/new/",
  "/orders/new/.",
  "/orders/new.",
  "/orders./new",
  "/orders/new%20",
  "/orders/new%00",
  "/orders/new%00.html",
  "/orders/new%2f",
  "/orders%2fnew",
  "/orders/%6eew",
  "/orders/%6Eew",
  "/%6frders/new",
  "/ORDERS/new",
  "/orders/NEW",
  "/orders/new;a=b",
  "/orders;a=b/new",
  "/orders/new?",
  "/orders/new?/open/new",
  "/orders/new#/open/new",
  "/orders/new%23",
  "/orders/%zz",
  "/orders/%",
  "/orders/new%0d%0aX-Api-Key:%20a",
  "/orders/__proto__",
  "/orders/constructor/prototype",
  "http://localhost/orders/new",
  "http://evil.test/orders/new",
  "HTTP://localhost//orders/new",
  "https:///orders/new",
  "file:///orders/new",
  "orders/new",
  "*",
  "localhost:80",
  "?key=a",
];

const methods: readonly string[] = [
  ...["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"],
  ...["post", "Post", "FOO", "PRI", "PROPFIND", "POST\tx", "GET\0", "__proto__"],
];

/** Headers that some servers and proxies use in place of the path or the method. */
const headers: readonly string[] = [
  ...["X-Original-URL: /open/new", "X-Rewrite-URL: /open/new", "X-Forwarded-Prefix: /open"],
  ...["X-HTTP-Method-Override: OPTIONS", "X-Method-Override: HEAD", "X-HTTP-Method: GET"],
  ...["X-Forwarded-For: 10.0.0.1", "X-Real-IP: 127.0.0.1", "X-Custom-IP-Authorization: 127.0.0.1"],
  ...["X-Forwarded-Host: localhost", "Forwarded: for=127.0.0.1", "X-Sluice-Origin: e30"],
];

refuseAll(
  "path",
  victim,
  targets.map((target): Attempt => [target, request(target)]),
);
refuseAll(
  "method",
  victim,
  methods.map((method): Attempt => [method, request("/orders/new", { method })]),
);
refuseAll(
  "header",
  victim,
  headers.map((header): Attempt => [header, request("/orders/new", { headers: [header] })]),
);
refuseAll("address", victim, [
  ["of nobody", request("/inside/new")],
  ...[
    "X-Forwarded-For: 10.0.0.1",
    "Forwarded: for=10.0.0.1",
    "X-Real-IP: 10.0.0.1",
    "Client-IP: 10.0.0.1",
  ].map((header): Attempt => [header, request("/inside/new", { headers: [header] })]),
]);
endWell(victim);
test.run();
