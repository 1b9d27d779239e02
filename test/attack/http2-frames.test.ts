// Random HTTP/2 frames: no request passes without a credential, and framing does not change a request.

import { test } from "uvu";
import * as assert from "uvu/assert";
import { createCertificates } from "../harness/certificates.ts";
import { until } from "../harness/wait.ts";
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
import { type Chance, createChance } from "./random-requests.ts";

/** `SEED=7 CONNECTIONS=5000 node test/attack/http2-frames.test.ts` tries other frames. */
const seed = Number(process.env.SEED ?? 1);
const connectionCount = Number(process.env.CONNECTIONS ?? 200);
const atOnce = 20;
const padded = 8;
const prioritised = 32;

const victim = await startVictim((await createCertificates()).server);

type Header = readonly [name: string, value: string];

function pick<T>(chance: Chance, choices: readonly [T, ...T[]]): T {
  return choices[Math.floor(chance() * choices.length)] ?? choices[0];
}

function number(value: number, bytes = 4): Buffer {
  const written = Buffer.alloc(bytes);
  written.writeUIntBE(value, 0, bytes);
  return written;
}

/**
 * A header block with one of HPACK's literal representations (RFC 7541, section 6.2) and sometimes table size updates.
 */
function encoded(chance: Chance, headers: readonly Header[]): Buffer {
  const sizes = chance() < 0.2 ? [Buffer.of(0x20), Buffer.of(0x3f, 0xe1, 0x1f)] : [];
  const written = headers.map((header) => {
    const block = headerBlock([header]);
    // With incremental indexing, without indexing, and never indexed.
    block[0] = pick(chance, [0x40, 0x00, 0x10]);
    return block;
  });
  return Buffer.concat([...sizes, ...written]);
}

/** A header block as HEADERS and CONTINUATION frames, any of which may be empty, with padding and priorities. */
function headingFrames(chance: Chance, stream: number, flags: number, block: Buffer): Buffer[] {
  const cuts =
    chance() < 0.5
      ? []
      : Array.from({ length: 1 + Math.floor(chance() * 4) }, () => Math.floor(chance() * block.length));
  const at = [0, ...cuts.sort((left, right) => left - right), block.length];
  return at.slice(1).map((end, index, all) => {
    const part = block.subarray(at[index], end);
    const ends = index === all.length - 1 ? endHeaders : 0;
    if (index > 0) return frame(frameTypes.continuation, ends, stream, part);
    const hasPriority = chance() < 0.3;
    const priority = hasPriority
      ? Buffer.concat([number(stream === 1 ? 3 : 1), Buffer.of(15)])
      : Buffer.alloc(0);
    const padding = chance() < 0.3 ? Math.floor(chance() * 20) : -1;
    const payload = Buffer.concat([
      padding < 0 ? Buffer.alloc(0) : Buffer.of(padding),
      ...[priority, part, Buffer.alloc(Math.max(0, padding))],
    ]);
    const more = (padding < 0 ? 0 : padded) | (hasPriority ? prioritised : 0);
    return frame(frameTypes.headers, flags | ends | more, stream, payload);
  });
}

/** Content in DATA frames, any of which may be empty or padded. */
function contentFrames(chance: Chance, stream: number, content: string, flags: number): Buffer[] {
  const middle = Math.floor(chance() * content.length);
  const parts = chance() < 0.5 ? [content] : [content.slice(0, middle), "", content.slice(middle)];
  return parts.map((part, index) => {
    const ends = index === parts.length - 1 ? flags : 0;
    if (chance() < 0.5) return frame(frameTypes.data, ends, stream, Buffer.from(part));
    const padding = Math.floor(chance() * 256);
    return frame(
      frameTypes.data,
      ends | padded,
      stream,
      Buffer.concat([Buffer.of(padding), Buffer.from(part), Buffer.alloc(padding)]),
    );
  });
}

/** Frames that are not a request: malformed, out of place, or without effect. */
function noise(chance: Chance, stream: number): Buffer {
  const bytes = Buffer.from(
    Array.from({ length: Math.floor(chance() * 40) }, () => Math.floor(chance() * 256)),
  );
  const type = Math.floor(chance() * 20);
  return pick<() => Buffer>(chance, [
    () => frame(type, Math.floor(chance() * 256), pick(chance, [0, 1, 2, stream, 2 ** 31 - 1]), bytes),
    () =>
      frame(
        frameTypes.settings,
        0,
        0,
        Buffer.concat([number(Math.floor(chance() * 10), 2), number(Math.floor(chance() * 2 ** 32))]),
      ),
    () => frame(8, 0, pick(chance, [0, stream]), number(pick(chance, [0, 1, 2 ** 31 - 1]))),
    () => frame(frameTypes.reset, 0, pick(chance, [0, 1, stream]), number(Math.floor(chance() * 16))),
    () => frame(2, 0, stream, Buffer.concat([number(stream), Buffer.of(1)])),
    () => frame(frameTypes.goaway, 0, 0, Buffer.alloc(8)),
    () =>
      frame(
        5,
        endHeaders,
        stream,
        Buffer.concat([number(2), headerBlock(requestHeaders("GET", "/orders/new"))]),
      ),
    () => frame(frameTypes.headers, endHeaders | endStream, stream, bytes),
    () => frame(frameTypes.data, padded, stream, Buffer.of(200, 1)),
    () => frame(frameTypes.ping, 0, 0, bytes.subarray(0, 8)),
  ])();
}

/** Heads without a valid credential, in forms that a reader could mistake for one. */
function strangers(chance: Chance): Header[] {
  const key = victim.key;
  const doubtful: readonly Header[] = [
    ["X-Api-Key", key],
    ["x-api-key ", key],
    [" x-api-key", key],
    ["x-api-key:", key],
    [":x-api-key", key],
    ["x_api_key", key],
    ["x.api.key", key],
    ["x-api-key\0", key],
    ["x-api-ke\u00ff", key],
    ["x-a", `b\r\nx-api-key: ${key}`],
    ["x-a", `b\nx-api-key: ${key}`],
    ["cookie", `x-api-key=${key}`],
    ["trailer", "x-api-key"],
    ["x-api-key", `guess, ${key}`],
    ["content-length", pick(chance, ["0", "5", "-1", "4, 4", "+4", "0x4", "18446744073709551616"])],
    ["transfer-encoding", "chunked"],
    ["connection", "x-api-key"],
    ["expect", "100-continue"],
    ["host", pick(chance, ["localhost", "evil.test", "localhost, inner.test", "inner.test"])],
    [":path", "/open/new"],
    [":method", "GET"],
    [":authority", "inner.test"],
    [":protocol", "websocket"],
    [":status", "200"],
    ["upgrade", "websocket"],
    ["x-http-method-override", "GET"],
    ["x-original-url", "/open/new"],
  ];
  const path = pick(chance, [
    "/orders/new",
    "/orders/events",
    "/orders/tenants/7",
    "/users/new",
    "/inside/new",
    "/versions/v2/new",
    "orders/new",
    "/ORDERS/new",
    "/orders//new",
    "/orders/%6eew",
    "/orders/new?key=",
    "/orders/new#",
    "*",
    "",
  ]);
  const method = pick(chance, [
    "POST",
    "POST",
    "GET",
    "post",
    "CONNECT",
    "POST /open/new",
    "PRI",
    "TRACE",
    "",
  ]);
  const head = [...requestHeaders(method, path)];
  if (chance() < 0.3) head.splice(Math.floor(chance() * head.length), 1);
  for (let count = Math.floor(chance() * 4); count > 0; count--)
    head.splice(Math.floor(chance() * (head.length + 1)), 0, pick(chance, doubtful as [Header, ...Header[]]));
  return head;
}

/** The frames of a connection without a credential; trailers may imitate one. */
function attack(chance: Chance): Buffer[] {
  const frames: Buffer[] = [];
  for (let stream = 1; stream < 12; stream += 2) {
    if (chance() < 0.4) frames.push(noise(chance, stream));
    const hasBody = chance() < 0.6;
    const hasTrailers = hasBody && chance() < 0.5;
    const head = headingFrames(chance, stream, hasBody ? 0 : endStream, encoded(chance, strangers(chance)));
    if (chance() < 0.1) head.splice(1, 0, noise(chance, stream));
    frames.push(...head);
    if (hasBody) frames.push(...contentFrames(chance, stream, "evil", hasTrailers ? 0 : endStream));
    if (hasTrailers) {
      const trailers: Header[] = [["x-api-key", victim.key]];
      if (chance() < 0.3) trailers.push([":path", "/orders/new"]);
      frames.push(...headingFrames(chance, stream, endStream, encoded(chance, trailers)));
    }
  }
  return frames;
}

test(`random frames without a credential reach no protected stream (seed ${seed})`, async () => {
  const before = (await victim.reached()).length;
  const chance = createChance(seed);
  for (let sent = 0; sent < connectionCount; sent += atOnce) {
    const scripts = Array.from({ length: Math.min(atOnce, connectionCount - sent) }, () => attack(chance));
    await Promise.all(
      scripts.map(async (frames) => {
        const client = await rawHttp2Client(victim.port);
        client.write(...frames);
        // When a complete response, a reset or the end arrives, the gateway has read the frames before it.
        const answers: readonly number[] = [frameTypes.headers, frameTypes.reset, frameTypes.goaway];
        await until(() => client.isClosed || client.frames.some((type) => answers.includes(type)));
        client.destroy();
      }),
    );
  }
  // Attacks may reach open routes.
  const reached = (await victim.reached()).slice(before);
  assert.equal(
    reached.filter((line) => !/^REACHED (?:message \{"name":|start )"open"/.test(line)),
    [],
  );
});

test(`a request split into arbitrary frames arrives once and complete (seed ${seed})`, async () => {
  const chance = createChance(seed);
  for (let at = 0; at < 50; at++) {
    const before = (await victim.reached()).length;
    // Uses a connection for each request: the gateway closes idle connections.
    const client = await rawHttp2Client(victim.port);
    const stream = 2 * at + 1;
    const content = `whole-${at}-${"x".repeat(Math.floor(chance() * 50))}`;
    const headers: Header[] = [
      ...requestHeaders("POST", "/orders/new"),
      ["x-api-key", victim.key],
      ["x-own", String(at)],
    ];
    client.write(
      ...headingFrames(chance, stream, 0, encoded(chance, headers)),
      ...contentFrames(chance, stream, content, endStream),
    );
    await until(() => client.frames.includes(frameTypes.headers), { what: `answer ${at}` });
    client.destroy();
    const reached = (await victim.reached()).slice(before);
    assert.is(reached.length, 1, `request ${at}`);
    assert.ok(reached[0]?.includes(`"text":"${content}"`), reached[0]);
  }
});

test("memory stays bounded", () => victim.finish());

test.run();
