import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { GatewayError } from "../../../runtime/errors.ts";
import { AnswerReader } from "../../../runtime/resources/memcached/answers.ts";
import { memcachedCache } from "../../../runtime/resources/memcached/cache.ts";
import { startMemcached } from "../../harness/brokers/memcached.ts";
import { memcached } from "../../harness/brokers.ts";
import { unique } from "../../harness/names.ts";
import { until } from "../../harness/wait.ts";
import { componentContext, outagesInto } from "../connectors/contexts.ts";

const broker = await memcached();
test.after(() => broker.stop());
const bytes = (content: string) => Buffer.from(content);
const textOf = (value: Uint8Array | undefined) => value && Buffer.from(value).toString();
const retries = { initial_interval: 5, max_interval: 20, max_elapsed_time: 5_000 };

/** Returns what another client reads. */
async function raw(address: string, command: string): Promise<string> {
  const [host = "", port] = address.split(":");
  const socket = connect({ host, port: Number(port) });
  socket.end(`${command}\r\nquit\r\n`);
  return text(socket);
}

async function failureOf(asked: unknown): Promise<GatewayError> {
  try {
    await asked;
  } catch (error) {
    assert.instance(error, GatewayError);
    return error as GatewayError;
  }
  throw new Error("it succeeded");
}

test("values are written under the prefix, added only once, and deleted", async () => {
  const prefix = `${unique("cache")}:`;
  const cache = memcachedCache({ addresses: [broker.address], prefix });
  await cache.start?.(componentContext());
  assert.is(await cache.get("a"), undefined);
  assert.is(await cache.add("a", bytes("1")), true);
  assert.is(await cache.add("a", bytes("2")), false);
  assert.is(await raw(broker.address, `get ${prefix}a`), `VALUE ${prefix}a 0 1\r\n1\r\nEND\r\n`);
  const large = Buffer.alloc(900_000, "\r\nEND\r\n\0\xff", "latin1");
  await cache.set("käse", large);
  const found = await Promise.all([cache.get("käse"), cache.get("a"), cache.get("käse")]);
  assert.equal(
    found.map((value) => value?.length),
    [large.length, 1, large.length],
  );
  assert.ok(large.equals(found[2] ?? bytes("")));
  await cache.set("a", bytes(""));
  assert.is(textOf(await cache.get("a")), "");
  await cache.delete("a");
  await cache.delete("a");
  assert.is(await cache.get("a"), undefined);
  await cache.close?.();
  await cache.close?.();
});

test("a key or value that memcached rejects fails alone", async () => {
  const cache = memcachedCache({ addresses: [broker.address], prefix: unique("cache"), retries });
  await cache.start?.(componentContext());
  const hostile = ["a b", "a\r\nflush_all", "\0", "\x7f", "\ud800", "ä".repeat(150)];
  for (const key of hostile) {
    const failure = await failureOf(cache.set(key, bytes("1")));
    assert.is(failure.status, 422, JSON.stringify(key));
    assert.not(failure.retryable);
  }
  const [large, other] = await Promise.all([
    failureOf(cache.set("large", Buffer.alloc(3_000_000))),
    cache.add("other", bytes("1")),
  ]);
  assert.is(large.message, "The value is larger than memcached accepts");
  assert.is(other, true);
  await cache.close?.();
});

test("ttls are whole seconds, and may be years", async () => {
  const prefix = unique("cache");
  const cache = memcachedCache({ addresses: [broker.address], prefix, default_ttl: 0 });
  await cache.start?.(componentContext());
  const year = 1000 * 60 * 60 * 24 * 365;
  await cache.set("forever", bytes("1"));
  await cache.set("year", bytes("1"), year);
  await cache.set("short", bytes("1"), 0.5);
  const left = async (key: string) => (await raw(broker.address, `mg ${prefix}${key} t`)).trim();
  assert.is(await left("forever"), "HD t-1");
  assert.match(await left("year"), /^HD t3153\d{4}$/);
  assert.match(await left("short"), /^HD t[01]$|^EN$/);
  await cache.close?.();
});

test("each key is on the server of its checksum", async () => {
  const second = await startMemcached();
  const cache = memcachedCache({ addresses: [`${broker.address},${second.address}`] });
  await cache.start?.(componentContext());
  const prefix = unique("key");
  const keys = Array.from({ length: 20 }, (_, index) => `${prefix}${index}`);
  for (const key of keys) await cache.set(key, bytes(key));
  for (const key of keys) assert.is(textOf(await cache.get(key)), key);
  const there = await Promise.all(
    [broker, second].map(async ({ address }) => {
      const answers = await raw(address, `get ${keys.join(" ")}`);
      return answers.split("VALUE ").length - 1;
    }),
  );
  assert.is((there[0] ?? 0) + (there[1] ?? 0), 20);
  assert.ok(
    there.every((count) => count > 0),
    String(there),
  );
  await cache.close?.();
  await second.stop();
});

test("operations during a restart of memcached complete afterwards, or fail after the timeout", async () => {
  const first = await startMemcached();
  const port = Number(first.address.split(":")[1]);
  const reports: (string | undefined)[] = [];
  const context = { ...componentContext(), beginOutage: outagesInto(reports) };
  const addresses = [first.address];
  const patient = memcachedCache({ addresses, retries: { ...retries, max_elapsed_time: 60_000 } });
  const hasty = memcachedCache({ addresses, retries: { ...retries, max_elapsed_time: 0 } });
  await patient.start?.(context);
  await hasty.start?.(componentContext());
  await first.stop();
  // A server that stops may accept another connection before it ends, which is then lost, too.
  const lost = "the connection to memcached is lost";
  await until(() => reports.at(-1) === lost, { what: "the report of a lost connection" });
  assert.is((await failureOf(hasty.get("a"))).message, "memcached unreachable");
  const asked = [patient.get("a"), patient.add("b", bytes("2"))];
  const second = await startMemcached(port);
  assert.equal(await Promise.all(asked), [undefined, true]);
  await until(() => reports.at(-1) === undefined, { what: "the end of the report" });
  await Promise.all([patient.close?.(), hasty.close?.()]);
  await second.stop();
  const away = memcachedCache({ addresses, retries });
  assert.is((await failureOf(away.start?.(componentContext()))).status, 502);
  await away.close?.();
});

test("responses are parsed from any chunks, and an invalid one ends the connection", () => {
  const stream = bytes("VALUE a 0 6\r\n\r\nEND\r\r\nEND\r\nEND\r\nSTORED\r\nSERVER_ERROR no memory\r\n");
  const expected = ["\r\nEND\r", "END", "STORED", "no memory"];
  for (const size of [1, 2, 3, 5, 7, 100]) {
    const reader = new AnswerReader();
    const found: (string | undefined)[] = [];
    for (let at = 0; at < stream.length; at += size) {
      for (const answer of reader.read(stream.subarray(at, at + size))) {
        if (answer.kind === "value") found.push(textOf(answer.value));
        else found.push(answer.kind === "word" ? answer.word : answer.reason);
      }
    }
    assert.equal(found, expected, `pieces of ${size}`);
  }
  const wrong = [
    "CLIENT_ERROR bad data chunk\r\n",
    "VALUE a 0 1\r\nabEND\r\n\r\n",
    "a".repeat(5_000),
    "VALUE a 0 4000000000\r\n",
  ];
  for (const answer of wrong)
    assert.throws(() => [...new AnswerReader().read(bytes(answer))], /memcached sent/);
});

test.run();
