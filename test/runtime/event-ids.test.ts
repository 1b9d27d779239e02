import { test } from "uvu";
import * as assert from "uvu/assert";
import { Broadcast } from "../../runtime/clients/broadcast.ts";
import { EventIds } from "../../runtime/clients/event-ids.ts";
import { Message } from "../../runtime/message/message.ts";
import {
  decodePositions,
  type EncodedPositions,
  type PartPosition,
  PositionEncoder,
  type Positions,
} from "../../runtime/message/positions.ts";
import { createRandom } from "../fuzz/byte-mutator.ts";

/** A source with one part that waits until each of its messages is settled. */
class Source {
  readonly unsettled = new Set<bigint>();
  #next = 0n;

  message(): Message {
    const offset = this.#next;
    this.#next += 1n;
    this.unsettled.add(offset);
    return Message.fromBytes(new Uint8Array(), undefined, { part: "log", offset });
  }

  undelivered(isHanded: (position: PartPosition) => boolean): Map<string, bigint> {
    const missing = [...this.unsettled].filter((offset) => !isHanded({ part: "log", offset }));
    return new Map([["log", missing[0] ?? this.#next]]);
  }
}

function placeIn(id: EncodedPositions | undefined): bigint | undefined {
  return decodePositions(String(id ?? ""))?.get("log");
}

test("ids advance before the source learns what clients have received", () => {
  const source = new Source();
  const ids = new EventIds((isHanded) => source.undelivered(isHanded));
  const messages = Array.from({ length: 5 }, () => source.message());
  for (const message of messages) ids.expect(message);
  assert.equal(
    messages.map((message) => placeIn(ids.idAfter(message))),
    [1n, 2n, 3n, 4n, 5n],
  );
});

test("an id stays before a message that is handed over later than its successors", () => {
  const source = new Source();
  const ids = new EventIds((isHanded) => source.undelivered(isHanded));
  const [first, second, third] = [source.message(), source.message(), source.message()];
  for (const message of [first, second, third]) ids.expect(message);
  assert.equal(
    [second, first, third].map((message) => placeIn(ids.idAfter(message))),
    [0n, 2n, 3n],
  );
});

test("a message that was delivered twice and is taken back is no longer covered", () => {
  const source = new Source();
  const ids = new EventIds((isHanded) => source.undelivered(isHanded));
  const [first, second, third] = [source.message(), source.message(), source.message()];
  for (const message of [first, third, second, third]) {
    ids.expect(message);
    ids.pass(message);
  }
  ids.takeBack([third]);
  assert.is(ids.reached()?.get("log"), 2n);
});

test("an id covers a source message only once all messages from it are handed over", () => {
  const source = new Source();
  const ids = new EventIds((isHanded) => source.undelivered(isHanded));
  const one = source.message();
  ids.expect(one);
  ids.expect(one);
  assert.equal([placeIn(ids.idAfter(one)), placeIn(ids.idAfter(one))], [0n, 1n]);
});

test("an unacknowledged message keeps its position among thousands of acknowledged ones", () => {
  const source = new Source();
  const ids = new EventIds((isHanded) => source.undelivered(isHanded));
  const slow = source.message();
  ids.expect(slow);
  assert.is(placeIn(ids.idAfter(slow)), 1n);
  for (let count = 2n; count <= 5_000n; count += 1n) {
    const message = source.message();
    ids.expect(message);
    assert.is(placeIn(ids.idAfter(message)), count);
    if (message.position !== undefined) source.unsettled.delete(message.position.offset);
  }
});

test("what a client without ids leaves behind has ids for the next client", async () => {
  const source = new Source();
  const clients = new Broadcast();
  clients.follow(new EventIds((isHanded) => source.undelivered(isHanded)), () => 0);
  const joinAs = (ignoresIds: boolean) => {
    const places: (bigint | undefined)[] = [];
    const client = clients.join({
      ignoresIds,
      isReady: () => true,
      send: (_message, _receipt, id) => {
        places.push(placeIn(id));
      },
      end: () => undefined,
    });
    return { places, leave: () => client.leave() };
  };
  const first = joinAs(true);
  const written = clients.write([source.message(), source.message(), source.message()]);
  await Promise.resolve();
  assert.equal(first.places, [undefined, undefined, undefined]);
  first.leave();
  const second = joinAs(false);
  assert.equal(second.places, [1n, 2n, 3n]);
  clients.close(false);
  second.leave();
  await written.then(
    () => assert.unreachable(),
    () => undefined,
  );
});

const parts = ["a", "b"] as const;

/** Messages of two parts: with offsets that do not exist, some messages late and some twice. */
function mixedMessages(random: (below: number) => number): readonly Message[] {
  const next = { a: 0n, b: 990n };
  const late: Message[] = [];
  const messages: Message[] = [];
  while (messages.length < 600) {
    const part = random(10) < 7 ? "a" : "b";
    next[part] += random(8) === 0 ? 3n : 1n;
    const message = Message.fromBytes(new Uint8Array(), undefined, { part, offset: next[part] });
    if (random(9) === 0) late.push(message);
    else messages.push(message, ...(random(11) === 0 ? [message] : []));
    if (random(12) === 0) messages.push(...late.splice(0));
  }
  return messages;
}

test("messages that get ids together get those that each gets alone", () => {
  const random = createRandom(17);
  const messages = mixedMessages(random);
  const offsetsOf = (part: string) =>
    messages
      .flatMap(({ position }) => (position?.part === part ? position.offset : []))
      .sort((one, other) => Number(one - other));
  const existing = new Map(parts.map((part) => [part, offsetsOf(part)]));
  const settled = new Map(parts.map((part) => [part as string, new Set<bigint>()]));
  const undelivered = (isHanded: (position: PartPosition) => boolean) =>
    new Map(
      [...existing].map(([part, offsets]) => {
        const isOpen = (offset: bigint) =>
          settled.get(part)?.has(offset) !== true && !isHanded({ part, offset });
        return [part, offsets.find(isOpen) ?? 100_000n];
      }),
    );
  const [together, alone] = [new EventIds(undelivered), new EventIds(undelivered)];
  for (let start = 0; start < messages.length; ) {
    const jobs = messages
      .slice(start, start + 1 + random(60))
      .map((message) => ({ message, id: undefined as EncodedPositions | undefined }));
    start += jobs.length;
    together.expectAll(jobs);
    together.identify(jobs);
    for (const { message } of jobs) alone.expect(message);
    for (const { message, id } of jobs) {
      const [own, expected] = [
        decodePositions(String(id ?? "")),
        decodePositions(String(alone.idAfter(message) ?? "")),
      ];
      // An id may name an offset that does not exist instead of the next one that does.
      const meant = parts.map((part) =>
        existing.get(part)?.find((offset) => offset >= (own?.get(part) ?? 0n)),
      );
      assert.equal(
        meant.map((offset) => offset ?? 100_000n),
        parts.map((part) => expected?.get(part)),
      );
    }
    // The source learns of some deliveries, not always of the oldest.
    for (const { message } of jobs)
      if (message.position !== undefined && random(3) > 0)
        settled.get(message.position.part)?.add(message.position.offset);
  }
});

test("an id holds offsets of any number of digits", () => {
  const source = new Source();
  const ids = new EventIds((isHanded) => source.undelivered(isHanded));
  for (let count = 1n; count <= 10_001n; count += 1n) {
    const message = source.message();
    ids.expect(message);
    assert.is(placeIn(ids.idAfter(message)), count);
    source.unsettled.clear();
  }
});

const encodePositions = (positions: Positions): string => String(new PositionEncoder().encode(positions));

test("an encoder encodes what has changed since its last word", () => {
  const encoder = new PositionEncoder();
  const steps: Positions[] = [
    [["0 orders", 9n]],
    [["0 orders", 10n]],
    [
      ["0 orders", 10n],
      ["1 größe", 7n],
    ],
    [
      ["1 größe", 7n],
      ["0 orders", 10n],
    ],
    [],
    [
      ["0 orders", 0n],
      ['2 "', 100n],
      ["1 größe", 8n],
    ],
  ].map((parts) => new Map(parts as [string, bigint][]));
  for (const positions of steps) {
    assert.equal([...(decodePositions(String(encoder.encode(positions))) ?? [])], [...positions]);
  }
});

test("an encoder encodes the change of one part", () => {
  const encoder = new PositionEncoder();
  const positions = new Map([
    ["orders", 2n],
    ["0 orders", 97n],
    ["1 orders", 1997n],
  ]);
  encoder.encode(positions);
  for (const part of [
    "1 orders",
    "1 orders",
    "0 orders",
    "0 orders",
    "0 orders",
    "0 orders",
    "1 orders",
    "1 orders",
  ]) {
    positions.set(part, (positions.get(part) ?? 0n) + 1n);
    const word = String(encoder.encodeChange(positions, part));
    assert.equal([...(decodePositions(word) ?? [])], [...positions]);
    assert.is(word, encodePositions(positions));
  }
});

test("a topic stands once in positions, which need no escapes in headers, events and queries", () => {
  const positions = new Map([
    ["orders", 2n],
    ["0 orders", 12n],
    ["1 orders", 9_007_199_254_740_993n],
  ]);
  const word = encodePositions(positions);
  assert.is(word, "a~b3JkZXJz.2.0-12.1-9007199254740993");
  assert.equal([...(decodePositions(word) ?? [])], [...positions]);
  assert.is(encodeURIComponent(word), word);
});

test("positions are decoded from exactly the words that encode them", () => {
  const random = createRandom(41);
  const names = [
    "",
    "a",
    "b c",
    " ",
    "7",
    "07",
    "größe",
    "__proto__",
    "~.-*",
    "x\n0 y",
    "1 a",
    "\ufeffz",
    "\0",
  ];
  const offsets = [0n, 1n, 9n, 10n, 999n, 2n ** 53n - 1n, 2n ** 53n + 1n, 2n ** 63n - 1n];
  const encoder = new PositionEncoder();
  for (let round = 0; round < 500; round += 1) {
    const positions = new Map<string, bigint>();
    for (let count = random(8); count > 0; count -= 1) {
      const number = ["", "", "0 ", "10 ", "01 ", "-1 "][random(6)] ?? "";
      positions.set(number + (names[random(names.length)] ?? ""), offsets[random(offsets.length)] ?? 0n);
    }
    const word = String(encoder.encode(positions));
    const decoded = decodePositions(word);
    assert.equal([...(decoded ?? [])].toSorted(), [...positions].toSorted(), word);
    const [part] = [...positions.keys()].slice(-1);
    if (part === undefined) continue;
    positions.set(part, 42n);
    const changed = String(encoder.encodeChange(positions, part));
    assert.is(changed, encodePositions(positions));
    const mutant = mutate(changed, random);
    const meant = decodePositions(mutant);
    if (meant !== undefined) assert.is(encodePositions(meant), mutant);
  }
});

/** Removes, doubles or replaces one character. */
function mutate(word: string, random: (below: number) => number): string {
  const at = random(word.length);
  const middle =
    ["", word.slice(at, at + 1).repeat(2), "~", ".", "-", "0", "9", "Q", "_", "="][random(10)] ?? "";
  return word.slice(0, at) + middle + word.slice(at + 1);
}

test("other words are no positions", () => {
  const name = (bytes: string) => Buffer.from(bytes, "latin1").toString("base64url");
  const bad = {
    "no text": "",
    "a foreign id": "17",
    "another version": "b~YQ.0-1",
    "base64 of JSON": Buffer.from('[["0 orders","1"]]').toString("base64url"),
    "no group": "a~",
    "a group without entries": "a~YQ",
    "an empty entry": "a~YQ.",
    "an empty number": "a~YQ.-1",
    "an empty offset": "a~YQ.0-",
    "a third number": "a~YQ.0-1-2",
    "a name with padding": "a~YQ==.1",
    "a name with other bits at its end": "a~YR.1",
    "a name in base64": "a~/w.1",
    "a name that is not UTF-8": `a~${name("\xff")}.1`,
    "a surrogate": `a~${name("\xed\xa0\x80")}.1`,
    "leading zeros": "a~YQ.0-01",
    "a number with leading zeros": "a~YQ.00-1",
    "a sign": "a~YQ.0-+1",
    "a fraction": "a~YQ.0-1e3",
    "other digits": "a~YQ.0-\u0661",
    "a line feed": "a~YQ.0-1\n",
    "an offset of 64 bits": `a~YQ.0-${2n ** 63n}`,
    "an offset of 20 digits": `a~YQ.0-1${"0".repeat(19)}`,
    "a part that stands twice": "a~YQ.0-1.0-1",
    "a name that stands twice": "a~YQ.0-1~YQ.1-1",
    "a number within the name": `a~${name("0 a")}.1`,
    "too many characters": `a~YQ${Array.from({ length: 4096 }, (_, part) => `.${part}-1`).join("")}`,
    "one character too many": `a~${"QUFB".repeat(2048)}.1`,
  };
  for (const [what, text] of Object.entries(bad)) assert.is(decodePositions(text), undefined, what);
  assert.is(decodePositions(`a~${"QUFB".repeat(2047)}.1`)?.size, 1);
});

test.run();
