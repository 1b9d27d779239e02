// The reading of frames in bundles, compared with that of ws itself.

import { createRequire } from "node:module";
import { Duplex } from "node:stream";
import { build } from "esbuild";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as published from "ws";
import { wsPatch } from "../../compiler/link/patches/ws.ts";
import { projectRoot } from "../harness/directories.ts";

const test = suite("frames in bundles");

type Library = Pick<typeof published, "WebSocketServer">;

/** The library as bundles have it. */
async function patchedLibrary(): Promise<Library> {
  const { outputFiles } = await build({
    stdin: { contents: 'export { WebSocketServer } from "ws";', resolveDir: projectRoot },
    bundle: true,
    write: false,
    format: "cjs",
    platform: "node",
    logLevel: "silent",
    plugins: [wsPatch()],
  });
  const module = { exports: {} as Library };
  new Function("require", "module", outputFiles[0]?.text ?? "")(createRequire(import.meta.url), module);
  return module.exports;
}

const patched = await patchedLibrary();

/** The largest message in bytes. */
const maxPayload = 70_000;

interface Play {
  /** Whether the listener of messages pauses the socket after each, until the next turn. */
  readonly pauses: boolean;
  /** Whether each chunk arrives in a turn of its own. */
  readonly slowly: boolean;
}

/** Returns what the server reports and answers when these chunks arrive and the client then ends the connection. */
async function play(
  { WebSocketServer }: Library,
  chunks: readonly Buffer[],
  how: Play,
): Promise<readonly string[]> {
  const lines: string[] = [];
  const log = (kind: string, ...values: (Buffer | string | number | boolean)[]) =>
    lines.push(
      [kind, ...values.map((value) => (Buffer.isBuffer(value) ? value.toString("hex") : value))].join(" "),
    );
  const connection = new Duplex({
    read() {},
    write(bytes: Buffer, _encoding, done) {
      log("answer", bytes);
      done();
    },
  });
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload,
  });
  const headers = {
    upgrade: "websocket",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    "sec-websocket-version": "13",
  };
  const closed = Promise.withResolvers<void>();
  server.handleUpgrade(Object({ method: "GET", headers }), connection, Buffer.alloc(0), (socket) => {
    socket.on("message", (bytes: Buffer, isBinary) => {
      log("message", bytes, isBinary);
      if (!how.pauses) return;
      socket.pause();
      setImmediate(() => socket.resume());
    });
    socket.on("ping", (bytes) => log("ping", bytes));
    socket.on("pong", (bytes) => log("pong", bytes));
    socket.on("error", (error: Error & { code?: string }) => log("error", error.code ?? error.message));
    socket.on("close", (code, reason) => {
      log("close", code, reason);
      closed.resolve();
    });
  });
  for (const chunk of chunks) {
    connection.push(Buffer.from(chunk)); // frames are unmasked in place
    if (how.slowly) await new Promise(setImmediate);
  }
  connection.push(null);
  await closed.promise;
  return lines;
}

interface FrameOptions {
  readonly first: number;
  readonly payload: Buffer;
  readonly mask?: Buffer | undefined;
  /** The bytes of the length after the first one: the fewest if absent. */
  readonly lengthBytes?: 0 | 2 | 8;
  /** The length that the head claims. */
  readonly claimed?: bigint;
}

const key = Buffer.from([0x37, 0xfa, 0x21, 0x3d]);

/** Returns a frame (RFC 6455, section 5.2), which need not be valid. */
function frame({ first, payload, mask = key, lengthBytes, claimed }: FrameOptions): Buffer {
  const length = claimed ?? BigInt(payload.length);
  const bytes = lengthBytes ?? (length < 126n ? 0 : length < 65_536n ? 2 : 8);
  const masked = mask.length > 0 ? 0x80 : 0;
  const head = Buffer.alloc(2 + bytes);
  head[0] = first;
  if (bytes === 0) head[1] = masked | (Number(length) & 0x7f);
  else if (bytes === 2) {
    head[1] = masked | 126;
    head.writeUInt16BE(Number(length) & 0xffff, 2);
  } else {
    head[1] = masked | 127;
    head.writeBigUInt64BE(length, 2);
  }
  const content = mask.length > 0 ? payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0)) : payload;
  return Buffer.concat([head, mask, content]);
}

const text = (content: string, first = 0x81) => frame({ first, payload: Buffer.from(content) });

/** Divides bytes at these places. */
function divide(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...new Set([...places, bytes.length])].toSorted((a, b) => a - b);
  return ends
    .map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
    .filter(({ length }) => length > 0);
}

async function compare(chunks: readonly Buffer[], how: Play): Promise<readonly string[]> {
  const expected = await play(published, chunks, how);
  assert.equal(await play(patched, chunks, how), expected);
  return expected;
}

const none = Buffer.alloc(0);

const conversations: Readonly<Record<string, readonly Buffer[]>> = {
  "messages of each length of a head": [
    text(""),
    text("é"),
    text("x".repeat(125)),
    text("y".repeat(126)),
    frame({ first: 0x82, payload: Buffer.alloc(90, 7) }),
  ],
  "fragments with a ping between": [
    text("one, ", 0x01),
    text("ping", 0x89),
    text("two, ", 0x00),
    text("pong", 0x8a),
    text("three", 0x80),
    text("after"),
  ],
  "a close with a reason": [
    text("last"),
    frame({ first: 0x88, payload: Buffer.from("\x03\xe8bye", "latin1") }),
  ],
  "a frame after the close": [frame({ first: 0x88, payload: none }), text("late")],
  "a frame without a mask": [
    text("good"),
    frame({ first: 0x81, payload: Buffer.from("bad"), mask: none }),
    text("x"),
  ],
  "a reserved bit": [text("good"), text("bad", 0xc1), text("after")],
  "an unknown opcode": [text("bad", 0x83)],
  "a continuation of nothing": [text("bad", 0x80)],
  "a message within another": [text("a", 0x01), text("b")],
  "a fragmented ping": [text("a", 0x09)],
  "a long ping": [frame({ first: 0x89, payload: Buffer.alloc(126) })],
  "text that is not UTF-8": [text("good"), frame({ first: 0x81, payload: Buffer.from([0xc3, 0x28]) })],
  "a code that must not be sent": [frame({ first: 0x88, payload: Buffer.from([0x03, 0xed]) })],
  "a length over the limit": [frame({ first: 0x82, payload: none, claimed: BigInt(maxPayload + 1) })],
  "a length over 2^53": [frame({ first: 0x82, payload: none, claimed: 2n ** 63n - 1n })],
  "the greatest length": [frame({ first: 0x82, payload: none, claimed: 2n ** 64n - 1n })],
  "fragments over the limit": [
    frame({ first: 0x02, payload: none, claimed: 40_000n }).subarray(0, 4),
    key,
    Buffer.alloc(40_000),
    frame({ first: 0x80, payload: none, claimed: 40_000n }),
  ],
};

for (const [name, frames] of Object.entries(conversations)) {
  test(`${name}: in one piece, and divided at each byte`, async () => {
    const bytes = Buffer.concat(frames);
    const outcome = await compare([bytes], { pauses: false, slowly: false });
    assert.ok(outcome.length > 1);
    const places = Array.from({ length: Math.min(bytes.length, 700) }, (_, index) => index + 1);
    for (const place of places) await compare(divide(bytes, [place]), { pauses: false, slowly: true });
    await compare(divide(bytes, places), { pauses: false, slowly: false });
    await compare(divide(bytes, places), { pauses: true, slowly: true });
  });
}

test("large messages are unmasked at every alignment", async () => {
  const payload = Buffer.from(Array.from({ length: 65_600 }, (_, index) => (index * 7) & 0xff));
  for (const length of [62, 63, 64, 65, 66, 67, 68, 125, 126, 545, 4_096, 65_535, 65_600]) {
    for (let before = 0; before < 8; before += 1) {
      const content = payload.subarray(0, length);
      const bytes = Buffer.concat([text("x".repeat(before)), frame({ first: 0x82, payload: content })]);
      const lines = await compare([bytes], { pauses: false, slowly: false });
      assert.ok(lines.includes(`message ${content.toString("hex")} true`));
    }
  }
});

test("property: any frames, divided anywhere, have the outcome that ws has", async () => {
  const mask = fc.oneof(
    { arbitrary: fc.uint8Array({ minLength: 4, maxLength: 4 }), weight: 9 },
    { arbitrary: fc.constantFrom(none, Buffer.alloc(4)), weight: 1 },
  );
  const payload = fc.oneof(
    fc.string({ maxLength: 300 }).map((content) => Buffer.from(content)),
    fc.uint8Array({ maxLength: 200 }).map((content) => Buffer.from(content)),
  );
  const first = fc.oneof(
    { arbitrary: fc.constantFrom(0x81, 0x82, 0x01, 0x02, 0x00, 0x80, 0x89, 0x8a), weight: 15 },
    { arbitrary: fc.integer({ min: 0, max: 255 }), weight: 1 },
  );
  const any = fc
    .record({
      first,
      payload,
      mask,
      lengthBytes: fc.constantFrom(undefined, undefined, 2 as const, 8 as const),
    })
    .map(({ lengthBytes, ...options }) =>
      frame({ ...options, mask: Buffer.from(options.mask), ...(lengthBytes && { lengthBytes }) }),
    );
  const how = fc.record({ pauses: fc.boolean(), slowly: fc.boolean() });
  const places = fc.array(fc.nat(2_000), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(fc.array(any, { maxLength: 8 }), places, how, async (frames, at, played) => {
      const bytes = Buffer.concat(frames);
      const inside = at.map((place) => (bytes.length === 0 ? 0 : place % bytes.length));
      await compare(divide(bytes, inside), played);
    }),
    { seed: 11, numRuns: 500 },
  );
});

test.run();
