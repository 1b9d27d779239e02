import { test } from "uvu";
import * as assert from "uvu/assert";
import { createCertificates } from "../harness/certificates.ts";
import { until } from "../harness/wait.ts";
import { http2Client } from "../runtime/listener/http2-client.ts";
import {
  endHeaders,
  endStream,
  frame,
  frameTypes,
  headerBlock,
  rawHttp2Client,
  requestHeaders,
} from "../runtime/listener/raw-http2.ts";
import { startVictim } from "./attacked.ts";

const certificates = await createCertificates();
const victim = await startVictim(certificates.server);
const key = ["x-api-key", victim.key] as const;

type Header = readonly [string, string];

/** A HEADERS frame for a request without a body. */
function heading(headers: readonly Header[], stream = 1): Buffer {
  return frame(frameTypes.headers, endHeaders | endStream, stream, headerBlock(headers));
}

function without(name: string): readonly Header[] {
  return requestHeaders("POST", "/orders/new").filter(([each]) => each !== name);
}

const whole = requestHeaders("POST", "/orders/new");

/** Malformed heads. Most carry a valid key, so that only their form can be the reason for a refusal. */
const heads: Readonly<Record<string, readonly Header[]>> = {
  "no credential": whole,
  "a wrong one": [...whole, ["x-api-key", "guess"]],
  "good, then bad": [...whole, key, ["x-api-key", "guess"]],
  "bad, then good": [...whole, ["x-api-key", "guess"], key],
  "a line break in a value": [...whole, ["x-a", `1\r\nx-api-key: ${victim.key}`]],
  "a line break in the path": [...without(":path"), [":path", "/orders/new\r\nx: y"], key],
  "capitals in a name": [...whole, ["X-Api-Key", victim.key]],
  "headers of a connection": [...whole, ["connection", "close"], key],
  "a transfer encoding": [...whole, ["transfer-encoding", "chunked"], key],
  "an upgrade": [...whole, ["upgrade", "websocket"], key],
  "te that is no trailers": [...whole, ["te", "gzip"], key],
  "a length without a body": [...whole, ["content-length", "5"], key],
  "two lengths": [...whole, ["content-length", "0"], ["content-length", "5"], key],
  "two paths": [...whole, [":path", "/open/new"], key],
  "no path": [...without(":path"), key],
  "an empty path": [...without(":path"), [":path", ""], key],
  "a path without a slash": [...without(":path"), [":path", "orders/new"], key],
  "a path that goes up": [...without(":path"), [":path", "/open/../orders/new"], key],
  "a whole address as a path": [...without(":path"), [":path", "http://evil.test/orders/new"]],
  "no method": [...without(":method"), key],
  "a method of several words": [...without(":method"), [":method", "POST /orders/new HTTP/1.1"], key],
  "a tunnel": [[":method", "CONNECT"], [":authority", "127.0.0.1:80"], key],
  "a tunnel for WebSocket": [...without(":method"), [":method", "CONNECT"], [":protocol", "websocket"], key],
  "an unknown pseudo-header": [...whole, [":user", "root"], key],
  "a pseudo-header behind others": [...without(":authority"), key, [":authority", "localhost"]],
  "a host beside the authority": [...whole, ["host", "evil.test"], key],
  "an authority with a user": [...without(":authority"), [":authority", "ann:blue@localhost"], key],
  "an authority that is none": [...without(":authority"), [":authority", "a/b"], key],
  "more headers than allowed": [
    ...whole,
    ...Array.from({ length: 60 }, (_, at): Header => [`x-${at}`, "1"]),
    key,
  ],
};

for (const [name, headers] of Object.entries(heads)) {
  test(`HTTP/2 head: ${name}`, async () => {
    const before = (await victim.reached()).length;
    const client = await rawHttp2Client(victim.port);
    client.write(heading(headers));
    // The gateway responds, resets the stream, or ends the connection.
    const answers: readonly number[] = [frameTypes.headers, frameTypes.reset, frameTypes.goaway];
    await until(() => client.isClosed || client.frames.some((type) => answers.includes(type)));
    client.destroy();
    assert.equal((await victim.reached()).slice(before), []);
  });
}

test("HTTP/2 head: invalid headers are dropped, or the request is rejected", async () => {
  const bad: readonly Header[] = [
    ["x-a\r\nx-b", "posed"],
    ["x-a", "posed\0"],
    ["", "posed"],
    ["x-a\0", "posed"],
  ];
  for (const header of bad) {
    const client = await rawHttp2Client(victim.port);
    client.write(heading([...whole, header, key]));
    await until(
      () =>
        client.isClosed ||
        client.frames.some((type) => type === frameTypes.headers || type === frameTypes.reset),
    );
    client.destroy();
  }
  assert.not.match((await victim.reached()).join(), /posed|X-A/);
});

const padded = 8;
const windowUpdate = 8;

/** Frame sequences after which the gateway has to end the connection. */
const floods: Readonly<Record<string, () => readonly Buffer[]>> = {
  "requests taken back": () =>
    Array.from({ length: 2_000 }, (_, at) =>
      Buffer.concat([
        frame(frameTypes.headers, endHeaders, 2 * at + 1, headerBlock([...whole, key])),
        frame(frameTypes.reset, 0, 2 * at + 1, Buffer.from([0, 0, 0, 8])),
      ]),
    ),
  pings: () => Array.from({ length: 2_000 }, () => frame(frameTypes.ping, 0, 0, Buffer.alloc(8))),
  settings: () => Array.from({ length: 2_000 }, () => frame(frameTypes.settings, 0, 0)),
  "continuations without end": () => [
    frame(frameTypes.headers, 0, 1, headerBlock([...whole, key])),
    ...Array.from({ length: 2_000 }, (_, at) =>
      frame(frameTypes.continuation, 0, 1, headerBlock([[`x-${at}`, "x".repeat(100)]])),
    ),
  ],
  "continuations without content": () => [
    frame(frameTypes.headers, 0, 1, headerBlock([...whole, key])),
    ...Array.from({ length: 2_000 }, () => frame(frameTypes.continuation, 0, 1)),
  ],
  "frames without content": () => [
    frame(frameTypes.headers, endHeaders, 1, headerBlock([...whole, key])),
    ...Array.from({ length: 2_000 }, () => frame(frameTypes.data, 0, 1)),
  ],
  "frames of padding, and nothing else": () => [
    frame(frameTypes.headers, endHeaders, 1, headerBlock([...whole, key])),
    ...Array.from({ length: 20_000 }, () => frame(frameTypes.data, padded, 1, Buffer.of(0))),
  ],
  priorities: () => Array.from({ length: 20_000 }, () => frame(2, 0, 3, Buffer.of(0, 0, 0, 1, 1))),
  "frames of unknown types": () => Array.from({ length: 20_000 }, () => frame(77, 0, 0)),
  "a window that does not grow": () => [frame(windowUpdate, 0, 0, Buffer.alloc(4))],
  "a window that grows too far": () => [
    frame(windowUpdate, 0, 0, Buffer.of(0x7f, 0xff, 0xff, 0xff)),
    frame(windowUpdate, 0, 0, Buffer.of(0x7f, 0xff, 0xff, 0xff)),
  ],
  "a table of headers that is too large": () => [
    frame(frameTypes.headers, endHeaders | endStream, 1, Buffer.of(0x3f, 0xe1, 0xff, 0xff, 0x07)),
  ],
  "frames that are too long": () => [frame(frameTypes.data, 0, 1, Buffer.alloc(100_000))],
  "content before a head": () => [frame(frameTypes.data, 0, 1, Buffer.from("x"))],
  "a stream of the server's": () => [heading([...whole, key], 2)],
  "an index of headers that is none": () => [
    frame(frameTypes.headers, endHeaders | endStream, 1, Buffer.from([0xff, 0xff, 0xff, 0xff, 0x7f])),
  ],
  "a farewell, and then what breaks the protocol": () => [
    heading(whole),
    frame(frameTypes.goaway, 0, 0, Buffer.alloc(8)),
    frame(frameTypes.data, 0, 9, Buffer.from("x")),
  ],
  noise: () => [Buffer.from(Array.from({ length: 4_000 }, (_, at) => (at * 7_919) % 256))],
};

for (const [name, frames] of Object.entries(floods)) {
  test(`HTTP/2 flood: ${name}`, async () => {
    const before = (await victim.reached()).length;
    const client = await rawHttp2Client(victim.port);
    client.write(...frames());
    await client.ended();
    assert.equal((await victim.reached()).slice(before), []);
  });
}

test("HTTP/2 flood: headers that refer to a long one thousands of times", async () => {
  const before = (await victim.reached()).length;
  const client = await rawHttp2Client(victim.port);
  // Stored in the table of headers (RFC 7541, section 6.2.1), of which it takes nearly all.
  const long = Buffer.concat([
    headerBlock([["x-long", ""]]).subarray(0, -1),
    integer(3_900),
    Buffer.alloc(3_900, "x"),
  ]);
  long[0] = 0x40;
  const references = Buffer.alloc(12_000, 0x80 + 62);
  for (let stream = 1; stream < 100; stream += 2) {
    const block = Buffer.concat([headerBlock([...whole, key]), ...(stream === 1 ? [long] : []), references]);
    client.write(frame(frameTypes.headers, endHeaders | endStream, stream, block));
  }
  await until(
    () => client.isClosed || client.frames.filter((type) => type === frameTypes.reset).length === 50,
  );
  client.destroy();
  assert.equal((await victim.reached()).slice(before), []);
});

/** Encodes the length of a string of more than 127 bytes (RFC 7541, section 5.1). */
function integer(length: number): Buffer {
  return Buffer.of(0x7f, 0x80 | ((length - 127) & 0x7f), (length - 127) >> 7);
}

test("HTTP/2: a cancelled upload produces no message, for every error code", async () => {
  const before = (await victim.reached()).length;
  const begun = [
    frame(frameTypes.headers, endHeaders, 1, headerBlock([...whole, key])),
    frame(frameTypes.data, 0, 1, Buffer.from("begin")),
  ];
  for (let code = 0; code <= 13; code += 1) {
    const client = await rawHttp2Client(victim.port);
    client.write(...begun, frame(frameTypes.reset, 0, 1, Buffer.from([0, 0, 0, code])), heading(whole, 3));
    // The response to the next request shows that the gateway has read both.
    await until(() => client.isClosed || client.frames.includes(frameTypes.headers));
    client.destroy();
  }
  const left = await rawHttp2Client(victim.port);
  left.write(...begun);
  await left.flush();
  left.destroy();
  const gone = await rawHttp2Client(victim.port);
  gone.write(...begun, frame(frameTypes.goaway, 0, 0, Buffer.alloc(8)));
  await gone.flush();
  gone.destroy();
  const connection = await http2Client(victim.url, { ca: certificates.authority.cert });
  assert.is((await connection.ask({ ":path": "/orders/new", ":method": "POST" }, "x")).status, 401);
  connection.close();
  assert.equal((await victim.reached()).slice(before), []);
});

test("HTTP/2 flood: a thousand requests without a credential on one connection are rejected", async () => {
  const before = (await victim.reached()).length;
  const connection = await http2Client(victim.url, { ca: certificates.authority.cert });
  for (let round = 0; round < 20; round += 1) {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => connection.ask({ ":path": "/orders/new", ":method": "POST" }, "x")),
    );
    assert.ok(answers.every(({ status }) => status === 401));
  }
  connection.close();
  assert.equal((await victim.reached()).slice(before), []);
});

test("a valid request is served after the attacks, and memory stays bounded", async () => {
  const connection = await http2Client(victim.url, { ca: certificates.authority.cert });
  const headers = { ":path": "/orders/new", ":method": "POST", "x-api-key": victim.key };
  assert.is((await connection.ask(headers, "good")).status, 200);
  assert.match((await victim.reached()).at(-1) ?? "", /"text":"good"/);
  connection.close();
  await victim.finish();
});

test.run();
