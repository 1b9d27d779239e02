import { test } from "uvu";
import * as assert from "uvu/assert";
import {
  createHeldOpenFormat,
  framedEvent,
  joinFramed,
} from "../../../runtime/connectors/http-server/held-open-client.ts";
import { canonicalHeaderName } from "../../../runtime/http/request-metadata.ts";
import { Message } from "../../../runtime/message/message.ts";
import { boundaryOf, parseMultipart } from "../../../runtime/message/multipart.ts";
import { EncodedPositions } from "../../../runtime/message/positions.ts";
import { frameJoin, frameSize } from "../../../runtime/sockets/frames.ts";

const eventOf = (bytes: Uint8Array) => joinFramed([framedEvent(bytes)], false);
const frame = (text: string) => eventOf(Buffer.from(text)).toString();

test("an event has a data line for each line of the message", () => {
  assert.is(frame("plain"), "data: plain\n\n");
  assert.is(frame(""), "data: \n\n");
  assert.is(frame("a\nb"), "data: a\ndata: b\n\n");
  assert.is(frame("a\r\nb\rc\n"), "data: a\ndata: b\ndata: c\ndata: \n\n");
  assert.is(frame("\n\nevent: forged"), "data: \ndata: \ndata: event: forged\n\n");
  assert.is(frame("grün\n€"), "data: grün\ndata: €\n\n");
});

test("events that are written together have their own ids", () => {
  const ids = [
    new EncodedPositions("abc", "0001", "xyz"),
    new EncodedPositions("abc", "0002", "xyz"),
    undefined,
    new EncodedPositions("abc", "0003", "xyz"),
    new EncodedPositions("abcd", "0003", "yz"),
    new EncodedPositions("abcd0003yz"),
    new EncodedPositions(""),
  ];
  const events = ids.map((id, index) => framedEvent(Buffer.from(`${index}\n`), id));
  const expected = ids
    .map((id, index) => `${id === undefined ? "" : `id: ${id}\n`}data: ${index}\ndata: \n\n`)
    .join("");
  assert.is(joinFramed(events, false).toString(), expected);
  assert.is(
    joinFramed(events, true).toString(),
    `${Buffer.byteLength(expected).toString(16)}\r\n${expected}\r\n`,
  );
});

test("a message is framed once for all clients of a format, and anew for another format or id", () => {
  const times = { heartbeat: 0, writeWait: 1000 };
  const [events, raw] = [
    createHeldOpenFormat("event_source", times),
    createHeldOpenFormat("raw_bytes", times),
  ];
  const [message, id] = [Message.fromText("a"), new EncodedPositions("abc")];
  const made = [
    events.framed(message, id),
    events.framed(message, id),
    events.framed(message),
    raw.framed(message),
    events.framed(message, id),
  ];
  assert.is(made[0], made[1]);
  assert.equal(
    made.map((each) => joinFramed([each], false).toString()),
    ["id: abc\ndata: a\n\n", "id: abc\ndata: a\n\n", "data: a\n\n", "a\n", "id: abc\ndata: a\n\n"],
  );
});

/** Returns the first byte and the content of each unmasked frame (RFC 6455, section 5.2). */
function framesIn(bytes: Buffer): readonly (readonly [first: number, content: Buffer])[] {
  const frames: [number, Buffer][] = [];
  for (let at = 0; at < bytes.length; ) {
    const short = bytes.readUInt8(at + 1);
    const length =
      short < 126
        ? short
        : short === 126
          ? bytes.readUInt16BE(at + 2)
          : Number(bytes.readBigUInt64BE(at + 2));
    const start = at + (short < 126 ? 2 : short === 126 ? 4 : 10);
    frames.push([bytes.readUInt8(at), bytes.subarray(start, start + length)]);
    at = start + length;
  }
  return frames;
}

test("messages that are written together are a frame each, of every length and type", () => {
  const contents = [0, 125, 126, 65_535, 65_536, 3].map((length) => Buffer.alloc(length, "a"));
  const messages = [...contents, Buffer.of(0xff), Buffer.from("ü")];
  for (const type of ["text", "binary", undefined] as const) {
    const frames = frameJoin(type)(messages);
    const size = messages.reduce((sum, message) => sum + frameSize(message), 0);
    assert.is(frames.length, size);
    const isBinary = (message: Buffer) => (type === undefined ? message[0] === 0xff : type === "binary");
    const expected = messages.map((message) => [isBinary(message) ? 0x82 : 0x81, message]);
    assert.equal(framesIn(frames), expected);
  }
});

test("bytes that are not UTF-8 are kept", () => {
  assert.equal(
    [...eventOf(Uint8Array.of(0xff, 10, 0xfe))].filter((byte) => byte > 127),
    [0xff, 0xfe],
  );
});

test("the boundary is parsed in all valid spellings", () => {
  assert.is(boundaryOf("multipart/form-data; boundary=abc"), "abc");
  assert.is(boundaryOf('multipart/mixed; charset=x; Boundary="a b:c"'), "a b:c");
  assert.is(boundaryOf("multipart/form-data"), "");
  assert.is(boundaryOf("text/plain; boundary=abc"), undefined);
});

function parts(body: string): readonly string[] | undefined {
  return parseMultipart(Buffer.from(body), "b")?.map(
    ({ contentType, content }) => `${contentType}|${content}`,
  );
}

test("parts are the text between the delimiters", () => {
  assert.equal(parts("--b\r\n\r\none\r\n--b--"), ["|one"]);
  assert.equal(
    parts("preamble\r\n--b\r\ncontent-type: text/x \r\nX: y\r\n\r\na\r\n\r\n--b \r\n\r\n\r\n--b--\r\nend"),
    ["text/x|a\r\n", "|"],
  );
  assert.equal(parts("--b\r\n\r\nkeeps --b inside\r\n--b--"), ["|keeps --b inside"]);
  assert.equal(parts("--b--"), []);
});

test("parts are slices of the body, at any offset in its memory", () => {
  const memory = Buffer.from("--b\r\n\r\none\r\n--b\r\nA: b\r\n\r\n\r\n--b--\r\n--b--");
  const body = memory.subarray(0, memory.indexOf("--b--") + 5);
  const found = parseMultipart(body, "b") ?? [];
  assert.equal(
    found.map(({ content }) => String(content)),
    ["one", ""],
  );
  for (const { content } of found) assert.is(content.buffer, memory.buffer);
  assert.is(parseMultipart(body.subarray(1), "b")?.length, 1, "a delimiter begins a line");
});

test("malformed bodies are rejected", () => {
  for (const body of [
    "",
    "text",
    "--b\r\n\r\nopen",
    "--b\r\nno head end\r\n--b--",
    "--bc\r\n\r\nx\r\n--bc--",
  ]) {
    assert.is(parts(body), undefined, body);
  }
});

test("header names get their canonical spelling", () => {
  assert.equal(["content-type", "X-TRACE-ID", "etag", "x_y-1a"].map(canonicalHeaderName), [
    "Content-Type",
    "X-Trace-Id",
    "Etag",
    "X_y-1a",
  ]);
});

test.run();
