import { test } from "uvu";
import * as assert from "uvu/assert";
import { Broadcast } from "../../runtime/clients/broadcast.ts";
import { EventIds } from "../../runtime/clients/event-ids.ts";
import { Message } from "../../runtime/message/message.ts";
import {
  decodePositions,
  type EncodedPositions,
  type PartPosition,
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

test.run();
