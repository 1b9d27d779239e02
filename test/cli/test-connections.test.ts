import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { freePort } from "../harness/ports.ts";
import { sluice, warmSluice } from "../harness/sluice.ts";
import { folderWith, misspelt } from "./documents.ts";

/** A server that accepts connections and sends nothing. */
const silent = createServer((socket) => socket.on("error", () => undefined));
await once(silent.listen(0, "127.0.0.1"), "listening");
const { port } = silent.address() as AddressInfo; // a TCP server that listens has this kind of address
const closed = await freePort();
const brokers = await Promise.all([silentBroker(), silentBroker()]);
const listing = await Promise.all([silentBroker(true), silentBroker(true)]);
test.after(() => {
  for (const { server } of [{ server: silent }, ...brokers, ...listing]) server.close();
});

/**
 * A server that accepts connections and sends nothing, except the requests that it supports with `isListing`. Counts
 * the connections and the requests to log in.
 */
async function silentBroker(isListing = false) {
  const server = createServer((socket) => {
    broker.connections++;
    socket.on("error", () => undefined);
    socket.on("data", (request) => {
      // Each request is one chunk: the client waits for the response.
      const key = request.readInt16BE(4);
      if (key === saslHandshake) broker.logins++;
      else if (isListing) socket.write(supported(request.readInt32BE(8)));
    });
  });
  const broker = { server, connections: 0, logins: 0, port: 0 };
  await once(server.listen(0, "127.0.0.1"), "listening");
  broker.port = (server.address() as AddressInfo).port; // a TCP server that listens has this kind of address
  return broker;
}

const saslHandshake = 17;

/** The response to ApiVersions, of a broker that supports logins. */
function supported(correlationId: number): Buffer {
  const keys = [saslHandshake, 18, 36]; // ApiVersions, SaslAuthenticate
  const response = Buffer.alloc(4 + 4 + 2 + 4 + 6 * keys.length + 4);
  response.writeInt32BE(response.length - 4, 0);
  response.writeInt32BE(correlationId, 4);
  response.writeInt32BE(keys.length, 10);
  keys.forEach((key, index) => {
    response.writeInt16BE(key, 14 + 6 * index); // versions 0 to 1
    response.writeInt16BE(1, 18 + 6 * index);
  });
  return response;
}

/** Writes the addresses of brokers as a list of a document. */
const addressesOf = (given: readonly { readonly port: number }[]) =>
  `[${given.map((each) => `"127.0.0.1:${each.port}"`).join(", ")}]`;

const orders = `openapi: 3.1.1
info: { title: Orders, version: "1" }
paths: {}
x-gw-api-gateway: { upstream: { url: "http://\${SHOP}/legacy" } }
x-gw-streaming:
  streams:
    intake:
      input: { http_server: { path: /in } }
      output:
        fallback:
          - label: the shop
            http_client: { url: "http://\${SHOP_USER}:\${SHOP_PASSWORD}@\${SHOP}/orders/\${! json(\\"id\\") }", verb: POST }
          - nats: { urls: ["nats://\${NATS_PASSWORD}@127.0.0.1:${closed}"], subject: orders }
`;
const cwd = folderWith({
  "orders.yaml": orders,
  "quiet.yaml": `input: { generate: { mapping: 'root = {}' } }\noutput: { drop: {} }\n`,
  "late.yaml": `input: { generate: { mapping: 'root = {}' } }\noutput:\n  http_client: { url: "https://127.0.0.1:${port}/", verb: POST }\n`,
  "silent.yaml": `input: { kafka: { addresses: ${addressesOf(brokers)}, topics: [a] } }
output: { kafka: { addresses: ${addressesOf(listing)}, topic: a, sasl: { mechanism: PLAIN, user: a, password: "\${NATS_PASSWORD}" } } }
`,
  "misspelt.yaml": misspelt,
});
const secrets = { SHOP_USER: "ada", SHOP_PASSWORD: "open-sesame", NATS_PASSWORD: "swordfish" };
const env = { ...process.env, ...secrets, SHOP: `127.0.0.1:${port}` };

test("each component is listed with its location, checks and hints, and one failure fails the command", async () => {
  const { status, stdout, stderr } = await warmSluice(["test-connections", "orders.yaml"], { cwd, env });
  assert.equal([status, stderr], [1, ""]);
  assert.is(
    stdout,
    `orders.yaml:4:39  upstream  x-gw-api-gateway.upstream.url
  ✓ address 127.0.0.1:${port}
  - request: not tested, a request could have effects

orders.yaml:12:13  http_client output "the shop"  x-gw-streaming.streams.intake.output.fallback[0].http_client
  ✓ address 127.0.0.1:${port}
  - request: not tested, a request could have effects

orders.yaml:13:13  nats output  x-gw-streaming.streams.intake.output.fallback[1].nats
  ✗ address 127.0.0.1:${closed}: the connection is refused: nothing listens there
    = hint: Check host and port, and that the server runs.

2 passed, 1 failed
`,
  );
});

test("--json prints the same results, and no output contains a secret", async () => {
  const { status, stdout, stderr } = await warmSluice(["test-connections", "orders.yaml", "--json"], {
    cwd,
    env,
  });
  assert.is(status, 1);
  const { passed, components } = JSON.parse(stdout);
  assert.is(passed, false);
  assert.equal(
    [components[0].component, components[0].role, components[0].streams],
    ["upstream", "upstream", []],
  );
  assert.equal(components[1], {
    component: "http_client",
    role: "output",
    label: "the shop",
    file: "orders.yaml",
    line: 12,
    column: 13,
    path: "x-gw-streaming.streams.intake.output.fallback[0].http_client",
    streams: ["orders/intake"],
    outcome: "passed",
    checks: [
      { check: `address 127.0.0.1:${port}`, outcome: "passed" },
      { check: "request", outcome: "untested", reason: "a request could have effects" },
    ],
  });
  assert.equal([components[2].outcome, components[2].checks[0].kind], ["failed", "refused"]);
  for (const secret of Object.values(secrets)) assert.not.match(stdout + stderr, secret);
});

test("all missing variables are reported at once, and no connection is made", async () => {
  const { SHOP: _shop, NATS_PASSWORD: _password, ...few } = env;
  const { status, stdout, stderr } = await warmSluice(["test-connections", "orders.yaml"], { cwd, env: few });
  assert.equal([status, stdout], [1, ""]);
  assert.match(stderr, "SHOP (orders.yaml:4, 12) is not set; NATS_PASSWORD (orders.yaml:13) is not set");
});

test("a server that does not answer before the timeout is a failure", async () => {
  const { status, stdout } = await warmSluice(["test-connections", "late.yaml", "--timeout", "300ms"], {
    cwd,
  });
  assert.is(status, 1);
  assert.match(stdout, `address 127.0.0.1:${port}: no answer within 300 ms`);
});

test("Kafka brokers that do not answer get one attempt to log in each", async () => {
  // Its own process, because attempts may go on after the report.
  const { status, stdout } = await sluice(["test-connections", "silent.yaml", "--timeout", "1s"], {
    cwd,
    env,
  });
  assert.is(status, 1);
  assert.match(stdout, "no answer within 1000 ms");
  assert.match(stdout, "0 passed, 2 failed");
  // One more connection tests the address.
  for (const { connections } of brokers) assert.ok(connections <= 2, `${connections} connections`);
  // None, if a busy machine did not even list what it supports in time.
  for (const { logins } of listing) assert.ok(logins <= 1, `${logins} attempts to log in`);
});

test("a document without connections passes, and one with errors is not tested", async () => {
  const quiet = await warmSluice(["test-connections", "quiet.yaml"], { cwd });
  assert.equal([quiet.status, quiet.stdout], [0, "nothing to connect to\n"]);
  const { status, stdout, stderr } = await warmSluice(["test-connections", "misspelt.yaml"], { cwd });
  assert.equal([status, stdout], [1, ""]);
  assert.match(stderr, "error GW");
});

test("an invalid timeout is misuse", async () => {
  const { status, stderr } = await warmSluice(["test-connections", "quiet.yaml", "--timeout", "soon"], {
    cwd,
  });
  assert.is(status, 64);
  assert.match(stderr, "Expected a duration such as 5s or 500ms;");
});

test.run();
