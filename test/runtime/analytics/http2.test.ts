import { suite } from "uvu";
import * as assert from "uvu/assert";
import { accessLog } from "../../../runtime/analytics/access-log.ts";
import { measure } from "../../../runtime/analytics/measure.ts";
import { observe } from "../../../runtime/analytics/observe.ts";
import { openTelemetry } from "../../../runtime/analytics/opentelemetry/exporter.ts";
import { prometheus } from "../../../runtime/analytics/prometheus.ts";
import { secureListener } from "../../../runtime/http/listener/secure.ts";
import { createCertificates } from "../../harness/certificates.ts";
import { httpServer } from "../../harness/http-server.ts";
import { eventually, until } from "../../harness/wait.ts";
import { http2Client } from "../listener/http2-client.ts";
import { serveWith } from "../listener/serving.ts";
import { parseExposition } from "./exposition.ts";

const test = suite("analytics over HTTP/2");
const { server, authority } = await createCertificates();

test("requests, event streams and malformed requests are counted, and traces continue, as over HTTP/1.1", async () => {
  const collector = await httpServer();
  const gateway = await serveWith({
    tls: () => secureListener({ cert_file: server.certFile, key_file: server.keyFile }),
    analytics: (env) =>
      observe(...measure(prometheus(), openTelemetry(env, { endpoint: collector.url })), accessLog()),
  });
  const connection = await http2Client(gateway.url, { ca: authority.cert });
  const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const traceparent = `00-${trace}-00f067aa0ba902b7-01`;
  const post = { ":path": "/orders/new", ":method": "POST" };
  assert.is((await connection.ask({ ...post, traceparent }, "a")).status, 200);
  assert.match(String(gateway.output.batches[0]?.[0]?.metadata.get("traceparent")), `00-${trace}-`);
  assert.is(
    (await connection.ask({ ...post, host: "other.test", ":authority": "localhost" }, "a")).status,
    400,
  );
  const events = connection.open({ ":path": "/orders/events", accept: "text/event-stream" });
  events.resume();
  const scrape = async () =>
    parseExposition(await (await fetch(`${gateway.addresses.admin}/metrics`)).text());
  const open = 'sluice_connections_open{api="orders",transport="stream"}';
  await until(async () => (await scrape()).get(open) === 1);
  events.close();
  await until(async () => (await scrape()).get(open) === 0);
  const counted = [
    'api="orders",verb="POST",route="/orders/new",status="200"',
    'api="unknown",verb="POST",route="unknown",status="400"',
    'api="orders",verb="GET",route="/orders/events",status="200"',
  ];
  await eventually(async () => {
    const samples = await scrape();
    return counted.map((labels) => samples.get(`sluice_requests_total{${labels}}`));
  }, [1, 1, 1]);
  connection.close();
  await gateway.close();
  const [line] = gateway.lines.filter(({ msg }) => msg === "request");
  assert.equal([line?.route, line?.status, line?.trace], ["/orders/new", 200, trace]);
  await collector.close();
});

test.run();
