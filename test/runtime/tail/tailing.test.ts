import { test } from "uvu";
import * as assert from "uvu/assert";
import { readTailRequest } from "../../../runtime/gateway/tail/sample.ts";
import { Tailing } from "../../../runtime/gateway/tail/tailing.ts";
import { Message } from "../../../runtime/message/message.ts";
import type { Tap } from "../../../runtime/stream/observer.ts";

const orders = { api: "shop", stream: "orders" };
const request = { streams: [orders], redact: [] };

function tailed(redact: readonly string[] = []) {
  const tap: Tap = { listener: undefined };
  const tailing = new Tailing((api, stream) => (api === "shop" && stream === "orders" ? tap : undefined));
  tailing.want({ streams: [orders], redact });
  return { tap, tailing, show: (...batch: Message[]) => tap.listener?.(batch, false) };
}

function shownOf(message: Message, redact?: readonly string[]) {
  const { tailing, show } = tailed(redact);
  show(message);
  return tailing.drain()[0]?.messages[0];
}

test("a tap has a listener only while a tail request selects its stream", () => {
  const { tap, tailing } = tailed();
  assert.type(tap.listener, "function");
  tailing.want(undefined);
  assert.is(tap.listener, undefined);
  tailing.want({ streams: [{ api: "shop", stream: "other" }], redact: [] });
  assert.is(tap.listener, undefined);
  assert.equal(tailing.drain(), []);
});

test("a new stream under the same name is tailed as well", () => {
  let tap: Tap = { listener: undefined };
  const first = tap;
  const tailing = new Tailing(() => tap);
  tailing.want(request);
  tap = { listener: undefined };
  assert.equal(tailing.drain(), []);
  assert.is(first.listener, undefined);
  tap.listener?.([Message.fromText("a")], true);
  assert.equal(
    tailing
      .drain()
      .map(({ messages }) => messages.map(({ content, isDeadLetter }) => [content, isDeadLetter])),
    [[["a", true]]],
  );
});

test("twenty messages are shown per poll, and the others counted", () => {
  const { tailing, show } = tailed();
  show(...Array.from({ length: 15 }, () => Message.fromText("a")));
  show(...Array.from({ length: 15 }, () => Message.fromText("b")));
  const [seen] = tailing.drain();
  assert.equal([seen?.messages.length, seen?.missed], [20, 10]);
  assert.equal(tailing.drain(), []);
});

test("values with secret-looking names are redacted, in documents, their lines and metadata", () => {
  const document = `{"id":12345678901234567890,"user":{"Pass-Word":"s1","tokens":["s2"],"pin":"s3","spin":"shown","author":"shown"},"auth":"s7","pwd":"s8","client_assertion":"s9","list":[{"api_key":{"a":"s4"}}],"e_mail":"s5","__proto__":{"secret":"s6"}}`;
  const metadata = new Map<string, string>([
    ["Authorization", "s7"],
    ["kafka_topic", "orders"],
  ]);
  const shown = shownOf(Message.fromText(document, metadata), ["E-Mail"]);
  assert.not.match(JSON.stringify(shown), /"s\d|s\d"/);
  assert.match(shown?.content ?? "", `"id":12345678901234567890`);
  assert.match(shown?.content ?? "", `"spin":"shown"`);
  assert.equal(shown?.metadata, { Authorization: "•••", kafka_topic: "orders" });
  const lines = shownOf(Message.fromText(`plain\n{"secret":"s1"}\n{broken`));
  assert.is(lines?.content, `plain\n{"secret":"•••"}\n{broken`);
  const untouched = `{ "b": 1.10, "a": [ 1e5 ] }`;
  assert.is(shownOf(Message.fromText(untouched))?.content, untouched);
});

test("secrets are redacted before content is truncated", () => {
  const shown = shownOf(Message.fromText(`{"password":"${"s".repeat(9000)}","note":"${"n".repeat(9000)}"}`));
  assert.not.match(shown?.content ?? "", "ss");
  assert.equal([shown?.content.length, shown?.isCut, shown?.size], [4096, true, 18_025]);
});

test("content that is too large or not text is omitted, and characters that cannot be stored are replaced", () => {
  const large = shownOf(Message.fromText(`{"secret":"s","n":"${"x".repeat(300_000)}"}`));
  assert.equal([large?.content, large?.isCut], ["", true]);
  const bytes = shownOf(Message.fromBytes(new Uint8Array([0xff, 0xfe])));
  assert.equal([bytes?.content, bytes?.isCut, bytes?.size], ["", true, 2]);
  assert.is(shownOf(Message.fromText("a\0b"))?.content, "a\ufffdb");
});

test("deeply nested documents are shown without their deepest levels", () => {
  const deep = shownOf(Message.fromText(`${"[".repeat(5000)}"s1"${"]".repeat(5000)}`));
  assert.not.match(deep?.content ?? "", "s1");
});

test("requests are validated strictly: redaction is never weaker than requested", () => {
  assert.equal(readTailRequest(request), request);
  for (const wrong of [
    undefined,
    null,
    "x",
    {},
    { streams: [] },
    { streams: [], redact: [""] },
    { streams: [], redact: [1] },
  ])
    assert.is(readTailRequest(wrong), undefined);
  assert.is(readTailRequest({ streams: [], redact: Array.from({ length: 201 }, () => "a") }), undefined);
  const many = {
    streams: Array.from({ length: 80 }, (_, index) => ({ api: "a", stream: `${index}` })),
    redact: [],
  };
  assert.is(readTailRequest(many)?.streams.length, 64);
});

test.run();
