import { test } from "uvu";
import * as assert from "uvu/assert";
import { secureListener } from "../../../runtime/http/listener/secure.ts";
import { createCertificates } from "../../harness/certificates.ts";
import { until } from "../../harness/wait.ts";
import { http2Client } from "./http2-client.ts";
import { serveWith } from "./serving.ts";

const { server, authority } = await createCertificates();

/** More requests than a connection has closed when its tables are copied. */
const many = 200;

test("an open stream of HTTP/2 continues while hundreds beside it end, and ends with the gateway", async () => {
  const gateway = await serveWith({
    tls: () => secureListener({ cert_file: server.certFile, key_file: server.keyFile }),
  });
  const connection = await http2Client(gateway.url, { ca: authority.cert });
  const events = connection.open({ ":path": "/orders/events", accept: "text/event-stream" });
  let received = "";
  let isOver = false;
  events.on("data", (bytes: Buffer) => {
    received += bytes.toString();
  });
  events.on("close", () => {
    isOver = true;
  });
  await gateway.source.deliver("before");
  await until(() => received.includes("data: before\n\n"));
  for (let sent = 0; sent < many; sent += 1) {
    const { status } = await connection.ask({ ":path": "/orders/new", ":method": "POST" }, "order");
    assert.is(status, 200);
  }
  await gateway.source.deliver("after");
  await until(() => received.includes("data: after\n\n"));
  await gateway.close();
  await until(() => isOver);
  connection.close();
});

test.run();
