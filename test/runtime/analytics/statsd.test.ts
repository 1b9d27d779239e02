import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { measure } from "../../../runtime/analytics/measure.ts";
import { observe } from "../../../runtime/analytics/observe.ts";
import { statsd, Timings } from "../../../runtime/analytics/statsd.ts";
import { httpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import { metric } from "../../../runtime/processors/metric.ts";
import { until } from "../../harness/wait.ts";
import { memoryOutput } from "../gateway/components.ts";
import { ordersApi, startGateway } from "../gateway/start-gateway.ts";

const test = suite("statsd");

interface Server {
  readonly address: string;
  /** The datagrams received so far. */
  readonly datagrams: readonly string[];
  readonly socket: Socket;
}

async function listen(): Promise<Server> {
  const socket = createSocket("udp4");
  const datagrams: string[] = [];
  socket.on("message", (datagram) => datagrams.push(datagram.toString()));
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { socket, datagrams, address: `127.0.0.1:${socket.address().port}` };
}

const linesOf = ({ datagrams }: Server) => datagrams.flatMap((datagram) => datagram.split("\n"));

const arrived = (server: Server, pattern: RegExp) =>
  until(() => linesOf(server).some((line) => pattern.test(line)), { what: String(pattern) });

const start = (options: Parameters<typeof statsd>[0]) =>
  startGateway(
    [
      ordersApi({
        intake: () => ({
          input: httpServerInput({ path: "/in/{id}" }),
          pipeline: [metric({ type: "counter", name: "orders taken", labels: { shop: "a|b" } })],
          output: memoryOutput(),
        }),
      }),
    ],
    { analytics: () => observe(...measure(statsd(options))) },
  );

test("metrics are sent at intervals: counters as increments, durations one by one", async () => {
  const server = await listen();
  const gateway = await start({ address: server.address, interval: 20 });
  const post = () => fetch(`${gateway.url}/orders/in/secret`, { method: "POST", body: "a" });
  await Promise.all([post(), post()]);
  const requests = /^sluice\.requests\.orders\.POST\.orders_in_id\.200:(\d+)\|c$/;
  const counted = () => linesOf(server).reduce((sum, line) => sum + Number(requests.exec(line)?.[1] ?? 0), 0);
  await until(() => counted() === 2);
  await post();
  await until(() => counted() === 3);
  // The metrics of one interval may be sent in several datagrams.
  await arrived(server, /^sluice\.messages\.in_flight\.orders\.intake:0\|g$/);
  await arrived(server, /^orders_taken\.a_b:\d\|c$/);
  const duration = /^sluice\.request\.duration\.orders\.POST\.orders_in_id:[\d.]+\|ms$/;
  const durations = () => linesOf(server).filter((line) => duration.test(line)).length;
  await until(() => durations() >= 3, { what: "three durations" });
  assert.is(durations(), 3);
  assert.not.match(linesOf(server).join("\n"), "secret");
  await gateway.close();
  server.socket.close();
});

test("with tags, labels are sent as tags; pending metrics are flushed on close", async () => {
  const server = await listen();
  const gateway = await start({
    address: server.address,
    tags: "datadog",
    prefix: "production.",
    interval: 3_600_000,
  });
  await fetch(`${gateway.url}/orders/in/1`, { method: "POST", body: "a" });
  assert.equal(server.datagrams, []);
  await gateway.close();
  const wanted = "production.sluice.messages.received:1|c|#api:orders,stream:intake";
  await until(() => linesOf(server).includes(wanted));
  await until(() => linesOf(server).includes("production.orders_taken:1|c|#shop:a_b"));
  const tags = "api:orders,verb:POST,route:/orders/in/{id}";
  await until(() => linesOf(server).includes(`production.sluice.requests:1|c|#${tags},status:200`));
  assert.ok(server.datagrams.every((datagram) => Buffer.byteLength(datagram) <= 1432));
  server.socket.close();
});

test("an unreachable server neither fails requests nor delays close, and is logged once", async () => {
  const gateway = await start({ address: "host.invalid:8125", interval: 5 });
  await until(() => gateway.lines.some(({ msg }) => msg === "metrics cannot be sent"));
  assert.is((await fetch(`${gateway.url}/orders/in/1`, { method: "POST", body: "a" })).status, 200);
  await gateway.close();
  assert.is(gateway.lines.filter(({ msg }) => msg === "metrics cannot be sent").length, 1);
});

test("many durations are sampled, with the sample rate", () => {
  const timings = new Timings();
  for (let index = 0; index < 1000; index += 1) timings.record(index);
  const { kept, rate } = timings.take();
  assert.equal([kept.length, rate], [200, 0.2]);
  const mean = kept.reduce((sum, each) => sum + each, 0) / kept.length;
  assert.ok(mean > 300 && mean < 700, String(mean));
  assert.equal(timings.take(), { kept: [], rate: 1 });
});

test.run();
