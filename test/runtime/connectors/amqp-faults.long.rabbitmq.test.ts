// What happens to messages when connections, brokers and certificates fail. The tests start their own brokers, because
// they stop and kill them.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Input, Output } from "../../../runtime/component/component.ts";
import { amqp09Input } from "../../../runtime/connectors/amqp-0-9/input.ts";
import { amqp09Output } from "../../../runtime/connectors/amqp-0-9/output.ts";
import { amqp1Input } from "../../../runtime/connectors/amqp-1/input.ts";
import { amqp1Output } from "../../../runtime/connectors/amqp-1/output.ts";
import type { TlsBlock } from "../../../runtime/process/tls.ts";
import { startRabbitmq } from "../../harness/brokers/rabbitmq.ts";
import { createCertificates } from "../../harness/certificates.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { freePort } from "../../harness/ports.ts";
import { connectRabbitmq } from "../../harness/rabbitmq-client.ts";
import { startTcpProxy } from "../../harness/tcp-proxy.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, componentContext, inputContext, outagesInto } from "./contexts.ts";
import { through } from "./through.ts";

const test = suite("AMQP: faults");
const certificates = await createCertificates();
const { authority, server: own, client, lockedClient, stranger } = certificates;
const encryptedPort = await freePort();
const place = {
  port: await freePort(),
  directory: temporaryDirectory("rabbitmq-faults"),
  plugins: ["rabbitmq_auth_mechanism_ssl"],
  configuration: [
    `listeners.ssl.1 = 127.0.0.1:${encryptedPort}`,
    `ssl_options.cacertfile = ${authority.certFile}`,
    `ssl_options.certfile = ${own.certFile}`,
    `ssl_options.keyfile = ${own.keyFile}`,
    "ssl_options.verify = verify_peer",
    "ssl_options.fail_if_no_peer_cert = true",
    "ssl_cert_login_from = common_name",
    "auth_mechanisms.1 = PLAIN",
    "auth_mechanisms.2 = EXTERNAL",
    // The common name of the certificate is the user that the broker creates when it starts.
    "default_user = client",
    "default_pass = client",
    "amqp1_0.default_user = client",
  ],
};
let broker = await startRabbitmq(place);
test.after(() => broker.stop());

const login = "client:client@";
const urls = [broker.address.replace("://", `://${login}`)];

/** Declares a durable queue. */
async function declare(queue: string): Promise<void> {
  const connection = await connectRabbitmq(urls[0] ?? "");
  await (await connection.createChannel()).assertQueue(queue);
  await connection.close();
}

interface Pair {
  readonly input: (urls: readonly string[], queue: string, tls?: TlsBlock) => Input;
  readonly output: (urls: readonly string[], queue: string, tls?: TlsBlock) => Output;
}

const pairs: Readonly<Record<string, Pair>> = {
  amqp_0_9: {
    input: (to, queue, tls) => amqp09Input({ urls: to, queue, prefetch_count: 20, ...(tls && { tls }) }),
    output: (to, key, tls) =>
      amqp09Output({ urls: to, exchange: "", key, persistent: true, mandatory: true, ...(tls && { tls }) }),
  },
  amqp_1: {
    input: (to, queue, tls) =>
      amqp1Input({ urls: to, source_address: `/amq/queue/${queue}`, credit: 20, ...(tls && { tls }) }),
    output: (to, queue, tls) =>
      amqp1Output({ urls: to, target_address: `/amq/queue/${queue}`, ...(tls && { tls }) }),
  },
};

/** Repeats a write until it succeeds, as an input that retries does. */
async function writeSurely(output: Output, text: string): Promise<void> {
  await until(() => output.write(batchOf(text)).then(() => true), {
    what: `writing ${text}`,
  });
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => String(from + index));

for (const [name, { input: makeInput, output: makeOutput }] of Object.entries(pairs)) {
  test(`${name}: no message is lost when connections are cut`, async () => {
    const queue = `cut-${name}`;
    await declare(queue);
    const proxy = await startTcpProxy(place.port);
    const through = [`amqp://${login}127.0.0.1:${proxy.port}`];
    const output = makeOutput(through, queue);
    const reported: (string | undefined)[] = [];
    await output.start({ ...componentContext(), beginOutage: outagesInto(reported) });
    const context = inputContext();
    const input = makeInput(through, queue);
    await input.start(context);
    const received = new Set<string>();
    const reading = (async () => {
      while (received.size < 150) {
        const { text, confirm } = await context.deliveries.next();
        received.add(text);
        confirm();
      }
    })();
    await Promise.all(numbers(0, 50).map((text) => writeSurely(output, text)));
    proxy.reset();
    await Promise.all(numbers(50, 100).map((text) => writeSurely(output, text)));
    await until(() => reported.length === 2, { what: "the return of the connection" });
    assert.is(reported[1], undefined);
    const late = Promise.all(numbers(100, 150).map((text) => writeSurely(output, text)));
    proxy.reset();
    await late;
    await reading;
    await Promise.all([input.close(), output.close()]);
    await proxy.close();
    assert.is(received.size, 150);
  });
}

test("writes to a broker that hangs time out, and no more are in flight than the limit", async () => {
  await declare("hanging");
  const proxy = await startTcpProxy(place.port);
  const to = [`amqp://${login}127.0.0.1:${proxy.port}?heartbeat=1`];
  const output = amqp09Output({ urls: to, exchange: "", key: "hanging", max_in_flight: 1, timeout: 300 });
  await output.start(componentContext());
  proxy.hold();
  const late = "RabbitMQ did not confirm the message within 0.3 s";
  const outcomes = await Promise.all(
    ["sent", "waiting"].map((text) =>
      output.write(batchOf(text)).then(
        () => "it went well",
        (error: unknown) => (error instanceof Error ? error.message : ""),
      ),
    ),
  );
  assert.equal(outcomes, [late, late]);
  proxy.release();
  await writeSurely(output, "after");
  const context = inputContext();
  const input = amqp09Input({ urls, queue: "hanging" });
  await input.start(context);
  const seen = await context.deliveries.take(2);
  assert.equal(
    seen.map(({ text }) => text),
    ["sent", "after"],
  ); // nothing replaced what was sent
  for (const { confirm } of seen) confirm();
  // The output also detects a connection that stays open but transmits nothing.
  proxy.freeze();
  await writeSurely(output, "found");
  (await context.deliveries.next()).confirm();
  await Promise.all([input.close(), output.close()]);
  await proxy.close();
});

test("mutual TLS authenticates both sides by certificate", async () => {
  const queue = "encrypted";
  await declare(queue);
  const plain = [`amqp://127.0.0.1:${encryptedPort}`];
  const named = [`amqps://${login}localhost:${encryptedPort}`];
  const certs = [{ cert_file: client.certFile, key_file: client.keyFile }];
  const tls = { enabled: true, root_cas_file: authority.certFile, client_certs: certs };
  const { keyFile, password } = lockedClient;
  const locked = [{ cert_file: client.certFile, key_file: keyFile, password }];
  for (const { input: makeInput, output: makeOutput } of Object.values(pairs)) {
    const attempt = (to: readonly string[], block: TlsBlock) =>
      through(makeInput(to, queue, block), makeOutput(to, queue, block));
    // If the address has no user, the certificate is the login.
    assert.is(await attempt(plain, tls), "hello");
    assert.is(await attempt(named, { ...tls, client_certs: locked }), "hello");
    assert.is(await attempt(named, { ...tls, root_cas_file: "", skip_cert_verify: true }), "hello");
    assert.match(await attempt(named, { ...tls, root_cas_file: stranger.certFile }), /cannot be reached/);
    assert.match(await attempt(named, { ...tls, client_certs: [] }), /cannot be reached|refused/);
  }
});

test("no message is lost when the broker is stopped or killed", async () => {
  for (const name of Object.keys(pairs)) await declare(`restart-${name}`);
  const contexts = new Map(Object.keys(pairs).map((name) => [name, inputContext()] as const));
  const received = new Map(Object.keys(pairs).map((name) => [name, new Set<string>()] as const));
  const ends = await Promise.all(
    Object.entries(pairs).map(async ([name, { input: makeInput, output: makeOutput }]) => {
      const [input, output] = [makeInput(urls, `restart-${name}`), makeOutput(urls, `restart-${name}`)];
      await output.start(componentContext());
      const context = contexts.get(name) ?? inputContext();
      await input.start(context);
      void (async () => {
        for (;;) {
          const { text, confirm } = await context.deliveries.next({ timeout: 180_000 });
          received.get(name)?.add(text);
          confirm();
        }
      })().catch(() => undefined); // the queue is closed at the end of the test
      return { input, output };
    }),
  );
  const write = (from: number, to: number) =>
    Promise.all(ends.flatMap(({ output }) => numbers(from, to).map((text) => writeSurely(output, text))));
  await write(0, 50);
  let writing = write(50, 100);
  await broker.stop();
  broker = await startRabbitmq(place);
  await writing;
  writing = write(100, 150);
  await broker.kill();
  broker = await startRabbitmq(place);
  await writing;
  for (const [name, texts] of received) {
    await until(() => texts.size === 150, { what: `all messages of ${name}` });
  }
  await Promise.all(ends.flatMap(({ input, output }) => [input.close(), output.close()]));
  // A pending wait for a message would keep the process running until its timeout.
  for (const { deliveries } of contexts.values()) deliveries.close("the test is over");
});

test.run();
