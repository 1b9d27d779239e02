// Clients that ask for one message over TLS, with both versions of HTTP.

import { once } from "node:events";
import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { secureListener } from "../../../runtime/http/listener/secure.ts";
import { createCertificates } from "../../harness/certificates.ts";
import { until } from "../../harness/wait.ts";
import { http2Client } from "../listener/http2-client.ts";
import { consuming } from "./consuming.ts";

const { server, authority } = await createCertificates();
const ca = authority.cert;

test("messages are confirmed once they have left, and go to the next client if one leaves before", async () => {
  const gateway = await consuming(
    { path: "/one" },
    {
      demandGrace: 3_600_000,
      parts: { tls: () => secureListener({ cert_file: server.certFile, key_file: server.keyFile }) },
    },
  );
  const waiting = (clients: number) =>
    until(() => gateway.status() === "running" && gateway.clients() === clients, { what: "waiting clients" });
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca });
  const ask = async () => {
    const [response] = await once(request(gateway.at("/one"), { agent }).end(), "response");
    return text(response);
  };
  for (const message of ["first", "second"]) {
    const answer = ask();
    await waiting(1);
    await gateway.input.deliver(message);
    assert.is(await answer, message);
  }
  const client = await http2Client(gateway.url, { ca });
  const gone = client.open({ ":path": "/orders/one" });
  gone.end();
  await waiting(1);
  gone.close();
  await waiting(0);
  const delivered = gateway.input.deliver("third");
  assert.is((await client.ask({ ":path": "/orders/one" })).body, "third");
  await delivered;
  client.close();
  agent.destroy();
  await gateway.close();
});

test.run();
