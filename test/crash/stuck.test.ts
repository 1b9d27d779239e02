import { suite } from "uvu";
import * as assert from "uvu/assert";
import { httpServer, type Reply } from "../harness/http-server.ts";
import { startTcpProxy } from "../harness/tcp-proxy.ts";
import { until } from "../harness/wait.ts";
import { GatewayProcess } from "./gateway-process.ts";

const test = suite("SIGTERM while everything hangs");

const steady = { generate: { interval: "10ms", count: 3, mapping: 'root = "m"' } };
const dropped = { drop: {} };
/** A mapping that drops failed messages: a shutdown must not look like such a failure. */
const forgiving = { mapping: "root = if errored() { deleted() }" };

/** Streams that wait for hours for `url` (never answers) or `silent` (accepts connections, sends nothing). */
function stuckStreams(url: string, silent: string): Readonly<Record<string, object>> {
  const request = (path: string) => ({ url: `${url}${path}`, verb: "POST", timeout: "1h" });
  const through = (processor: object) => ({
    input: steady,
    pipeline: { processors: [processor, forgiving] },
    output: dropped,
  });
  const into = (output: object) => ({ input: steady, output });
  const from = (input: object) => ({ input, output: dropped });
  return {
    called: { input: { http_server: { path: "/called" } }, output: { http_client: request("/called") } },
    repeated: into({ retry: { output: { http_client: request("/repeated") } } }),
    fallen: into({ fallback: [{ http_client: request("/fallen") }, dropped] }),
    asked: through({ http: request("/asked") }),
    side: through({ branch: { processors: [{ http: request("/side") }] } }),
    asleep: through({ sleep: { duration: "1h" } }),
    tried: through({
      retry: { backoff: { max_elapsed_time: "0s" }, processors: [{ mapping: 'root = throw("no")' }] },
    }),
    polled: from({ http_client: { ...request("/polled"), rate_limit: "1h" } }),
    queued: from({ amqp_0_9: { urls: [`amqp://${silent}`], queue: "q" } }),
    published: into({ mqtt: { urls: [`tcp://${silent}`], topic: "t" } }),
    logged: into({ kafka: { addresses: [silent], topic: "t" } }),
    subscribed: from({ nats: { urls: [`nats://${silent}`], subject: "t" } }),
    socket: from({ websocket: { url: `ws://${silent}/` } }),
  };
}

test("a stuck process exits soon after its shutdown timeout, and acknowledges nothing undelivered", async () => {
  const server = await httpServer(() => new Promise<Reply>(() => undefined));
  const silent = await startTcpProxy(Number(new URL(server.url).port));
  silent.hold();
  const streams = stuckStreams(server.url, `127.0.0.1:${silent.port}`);
  const gateway = await GatewayProcess.build(streams, { env: { GW_SHUTDOWN_TIMEOUT: "100ms" } });
  gateway.launch();
  const arrived = (path: string) => server.requests.some((request) => request.path === path);
  // The route is not served until the stream runs; a request that is retried has not reached the stream.
  const answered = until(
    () =>
      fetch(`${gateway.url}/called`, { method: "POST", body: "m" }).then(
        ({ status }) => (status === 503 && !arrived("/called") ? undefined : status),
        () => (arrived("/called") ? "cut" : undefined),
      ),
    { what: "the request of a client" },
  );
  for (const path of ["/called", "/repeated", "/fallen", "/asked", "/side", "/polled"]) {
    await until(() => arrived(path), { what: path });
  }
  // Components get 5 s to disconnect, twice, if there is time left; here there is none.
  assert.is(await gateway.terminate(8_000), 0, gateway.lastLines());
  const answer = await answered;
  assert.ok(answer === "cut" || answer >= 500, `the client was answered ${answer}`);
  const refused = (stream: string) =>
    gateway.countLines((line) => line.stream === stream && line.msg === "batch not delivered");
  for (const stream of ["repeated", "fallen", "asked", "side", "asleep", "tried"]) {
    assert.ok(refused(stream) > 0, `${stream} has acknowledged what was not delivered`);
  }
  await server.close();
  await silent.close();
});

test.run();
