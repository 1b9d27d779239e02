import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Input, Output } from "../../../runtime/component/component.ts";
import { kafkaFranzInput } from "../../../runtime/connectors/kafka/franz/input.ts";
import { kafkaFranzOutput } from "../../../runtime/connectors/kafka/franz/output.ts";
import { kafkaInput } from "../../../runtime/connectors/kafka/input.ts";
import { kafkaOutput } from "../../../runtime/connectors/kafka/output.ts";
import type { Sasl } from "../../../runtime/connectors/kafka/sasl.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import type { TlsBlock } from "../../../runtime/process/tls.ts";
import { memoryCache } from "../../../runtime/resources/memory-cache.ts";
import { encodeUtf8 } from "../../../runtime/text/utf8.ts";
import { startSecureKafka, unsignedToken } from "../../harness/brokers/secure-kafka.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, componentContext, inputContext } from "./contexts.ts";

const test = suite("kafka security");
const broker = await startSecureKafka();
const { authority, client, lockedClient, stranger } = broker.certificates;
const trusting = { enabled: true, root_cas: authority.cert };
test.after(() => broker.stop());
// A new broker refuses the first members of groups until it has loaded its group metadata.
await until(async () => {
  const first = kafkaInput({ addresses: [broker.plain], topics: ["first"] });
  try {
    await first.start(inputContext());
    return true;
  } finally {
    await first.close();
  }
});

/** Writes and reads a message. Rejects with the reason if the output or the input cannot start. */
async function exchange(output: Output, input: Input): Promise<void> {
  await output.start(componentContext());
  await output.write(batchOf("hello"));
  await output.close();
  const context = inputContext();
  await input.start(context);
  const { text, confirm } = await context.deliveries.next();
  assert.is(text, "hello");
  confirm();
  await input.close();
}

function exchangeAt(address: string, security: { tls: TlsBlock; sasl?: Sasl }): Promise<void> {
  const common = { addresses: [address], ...security };
  const topic = randomUUID();
  return exchange(kafkaOutput({ ...common, topic }), kafkaInput({ ...common, topics: [topic] }));
}

async function isRefused(work: Promise<unknown>, what: string): Promise<void> {
  const error = await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  assert.instance(error, GatewayError, what);
}

test("the client certificate is presented, and the broker's is verified", async () => {
  const clientCerts = { client_certs: [{ cert: client.cert, key: client.key }] };
  await exchangeAt(broker.certified, { tls: { ...trusting, ...clientCerts } });
  await exchangeAt(broker.certified, {
    tls: {
      enabled: true,
      root_cas_file: authority.certFile,
      client_certs: [
        {
          cert_file: lockedClient.certFile,
          key_file: lockedClient.keyFile,
          password: lockedClient.password,
        },
      ],
    },
  });
  await exchangeAt(broker.certified, { tls: { enabled: true, skip_cert_verify: true, ...clientCerts } });
});

test("clients without a certificate and brokers with an untrusted one are rejected", async () => {
  const output = (tls: TlsBlock) => {
    const unwanted = kafkaOutput({ addresses: [broker.certified], tls, topic: "secured" });
    return unwanted.start(componentContext()).finally(() => unwanted.close());
  };
  await Promise.all([
    isRefused(output(trusting), "no certificate"),
    isRefused(output({ enabled: false }), "not encrypted"),
    isRefused(
      output({
        ...trusting,
        root_cas: stranger.cert,
        client_certs: [{ cert: client.cert, key: client.key }],
      }),
      "a broker that nobody vouches for",
    ),
  ]);
});

const { user, password } = broker;

for (const mechanism of ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] as const) {
  test(`a user authenticates by ${mechanism} with the right password only`, async () => {
    await exchangeAt(broker.sasl, { tls: trusting, sasl: { mechanism, user, password } });
    const wrong = { mechanism, user, password: "open-barley" };
    await isRefused(exchangeAt(broker.sasl, { tls: trusting, sasl: wrong }), mechanism);
  });
}

test("a token is taken from the configuration, a cache or a token endpoint", async () => {
  await exchangeAt(broker.sasl, {
    tls: trusting,
    sasl: { mechanism: "OAUTHBEARER", access_token: unsignedToken() },
  });
  const ended = { mechanism: "OAUTHBEARER", access_token: unsignedToken(-3_600_000) } as const;
  await isRefused(exchangeAt(broker.sasl, { tls: trusting, sasl: ended }), "a token that is over");

  const cache = memoryCache({});
  await cache.set("token", encodeUtf8(unsignedToken()));
  await exchangeAt(broker.sasl, {
    tls: trusting,
    sasl: { mechanism: "OAUTHBEARER", token_cache: cache, token_key: "token" },
  });
  const missing = { mechanism: "OAUTHBEARER", token_cache: cache, token_key: "other" } as const;
  await isRefused(exchangeAt(broker.sasl, { tls: trusting, sasl: missing }), "no token in the cache");
});

test("a token endpoint issues tokens for client credentials", async () => {
  const forms: string[] = [];
  const server = createServer(async (request, response) => {
    forms.push(`${request.headers.authorization} ${await text(request)}`);
    response.end(JSON.stringify({ access_token: unsignedToken(), token_type: "bearer", expires_in: 3600 }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has this kind of address
  const oauth2 = {
    enabled: true,
    client_key: "gateway",
    client_secret: "s:cret",
    token_url: `http://127.0.0.1:${port}/token`,
    scopes: ["read", "write"],
    endpoint_params: { audience: ["kafka"] },
  };
  await exchangeAt(broker.sasl, { tls: trusting, sasl: { mechanism: "OAUTHBEARER", oauth2 } });
  const franz = {
    seed_brokers: [broker.sasl],
    tls: trusting,
    sasl: [{ mechanism: "OAUTHBEARER", oauth2, extensions: { cluster: "one" } }],
  } as const;
  const topic = randomUUID();
  await exchange(kafkaFranzOutput({ ...franz, topic }), kafkaFranzInput({ ...franz, topics: [topic] }));
  server.close();
  const basic = Buffer.from("gateway:s%3Acret").toString("base64");
  const form = "grant_type=client_credentials&scope=read+write&audience=kafka";
  assert.is(forms[0], `Basic ${basic} ${form}`);
  assert.ok(forms.length <= 4, "one for each output and one for each input");
});

test("kafka_franz has its own spelling of both", async () => {
  const methods = [
    { mechanism: "SCRAM-SHA-256", username: user, password },
    { mechanism: "OAUTHBEARER", token: unsignedToken(), extensions: { traceId: "123" } },
  ] as const;
  for (const method of methods) {
    const common = { seed_brokers: [broker.sasl], tls: trusting, sasl: [method] };
    await exchange(
      kafkaFranzOutput({ ...common, topic: method.mechanism }),
      kafkaFranzInput({ ...common, topics: [method.mechanism] }),
    );
  }
  assert.throws(
    () => kafkaFranzOutput({ seed_brokers: [broker.sasl], sasl: [...methods], topic: "secured" }),
    /`sasl` takes one method/,
  );
});

test.run();
