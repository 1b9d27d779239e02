import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";
import { connect } from "@nats-io/transport-node";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { NatsAddress } from "../../../runtime/connectors/nats/client.ts";
import { natsInput } from "../../../runtime/connectors/nats/input.ts";
import { natsJetstreamInput } from "../../../runtime/connectors/nats/jetstream/input.ts";
import {
  filteredNatsJetstreamOutput,
  natsJetstreamOutput,
} from "../../../runtime/connectors/nats/jetstream/output.ts";
import { natsKvInput } from "../../../runtime/connectors/nats/kv/input.ts";
import { natsKvOutput } from "../../../runtime/connectors/nats/kv/output.ts";
import { filteredNatsOutput, natsOutput } from "../../../runtime/connectors/nats/output.ts";
import { Message } from "../../../runtime/message/message.ts";
import { startNats } from "../../harness/brokers/nats.ts";
import { createCertificates } from "../../harness/certificates.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { createNatsAccounts } from "../../harness/nats-accounts.ts";
import { freePort } from "../../harness/ports.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, componentContext } from "./contexts.ts";
import { through } from "./through.ts";

const test = suite("nats: who may connect");
const certificates = await createCertificates();
const accounts = createNatsAccounts();

const plain = (address: NatsAddress) =>
  through(natsInput({ ...address, subject: "a" }), natsOutput({ ...address, subject: "a" }));

test("metadata never become control headers of the server, in any case; the message id may be sent", async () => {
  const server = await startNats();
  const urls = [server.address];
  const admin = await connect({ servers: server.address });
  await (await jetstreamManager(admin)).streams.add({ name: "ORDERS", subjects: ["o.>"] });
  const names = [
    ...["Nats-Rollup", "nats-rollup", "NATS-TTL", "Nats-Expected-Stream", "Nats-Expected-Last-Sequence"],
    ...[
      "Nats-Expected-Last-Msg-Id",
      "Nats-Expected-Last-Subject-Sequence",
      "Nats-Schedule",
      "Nats-Schedule-Target",
    ],
    ...["Nats-Marker-Reason", "KV-Operation"],
  ];
  const metadata = new Map<string, string>([...names.map((name) => [name, "all"] as const), ["X-Kind", "k"]]);
  metadata.set("Nats-Msg-Id", "1");
  const filter = { include_patterns: [".*"] };
  const received: string[][] = [];
  admin.subscribe("o.>", {
    callback: (_, { headers }) => {
      received.push(headers?.keys() ?? []);
    },
  });
  for (const output of [
    filteredNatsOutput({ urls, subject: "o.core", metadata: filter }),
    filteredNatsJetstreamOutput({ urls, subject: "o.stream", metadata: filter }),
  ]) {
    const context = componentContext();
    await output.start(context);
    await output.write([Message.fromText("m", metadata)]);
    await output.close();
  }
  await until(() => received.length === 2);
  for (const kept of received) assert.equal(kept.sort(), ["Nats-Msg-Id", "X-Kind"]);
  await admin.close();
  await server.stop();
});

test("connections are encrypted, and the client is authenticated by certificate", async () => {
  const { authority, server: own, client, lockedClient, stranger } = certificates;
  const files = `cert_file: "${own.certFile}", key_file: "${own.keyFile}", ca_file: "${authority.certFile}"`;
  const place = {
    port: await freePort(),
    directory: temporaryDirectory("nats"),
    config: `tls { ${files}, verify: true }`,
  };
  let server = await startNats(place);
  const urls = [server.address];
  const trust = { enabled: true, root_cas_file: authority.certFile };
  const { keyFile, password } = lockedClient;
  const tls = { ...trust, client_certs: [{ cert_file: client.certFile, key_file: keyFile, password }] };
  assert.is(await plain({ urls, tls }), "hello");
  const byText = {
    enabled: true,
    root_cas: authority.cert,
    client_certs: [{ cert: client.cert, key: client.key }],
  };
  assert.is(await plain({ urls: [server.address.replace("nats:", "tls:")], tls: byText }), "hello");
  assert.is(await plain({ urls, tls: { ...tls, root_cas_file: "", skip_cert_verify: true } }), "hello");
  assert.match(await plain({ urls, tls: trust }), /^NATS cannot be reached/);
  assert.match(
    await plain({ urls, tls: { ...tls, root_cas_file: stranger.certFile } }),
    /^NATS cannot be reached/,
  );
  assert.match(await plain({ urls }), /^NATS cannot be reached/);
  const missing = { ...trust, root_cas_file: "/nowhere/ca.pem" };
  assert.is(
    await plain({ urls, tls: missing }),
    "tls.root_cas_file (/nowhere/ca.pem) cannot be read (no such file or directory)",
  );

  const admin = await connect({
    servers: server.address,
    tls: { caFile: authority.certFile, certFile: client.certFile, keyFile: client.keyFile },
    maxReconnectAttempts: -1,
  });
  await (await jetstreamManager(admin)).streams.add({ name: "S", subjects: ["s.>"] });
  await new Kvm(admin).create("settings");
  const streams = { urls, tls, stream: "S", durable: "d" };
  const toStream = natsJetstreamOutput({ urls, tls, subject: "s.a" });
  assert.is(await through(natsJetstreamInput(streams), toStream), "hello");
  const toBucket = natsKvOutput({ urls, tls, bucket: "settings", key: "a" });
  assert.is(await through(natsKvInput({ urls, tls, bucket: "settings" }), toBucket), "hello");

  const output = natsJetstreamOutput({ urls, tls, subject: "s.a" });
  await output.start(componentContext());
  await server.stop();
  server = await startNats(place);
  await until(() => output.write(batchOf("back")).then(() => true));
  await Promise.all([output.close(), admin.close()]);
  await server.stop();
});

test("a server without TLS is rejected if TLS is configured", async () => {
  const server = await startNats();
  const tls = { enabled: true, root_cas_file: certificates.authority.certFile };
  assert.match(await plain({ urls: [server.address], tls }), /^NATS cannot be reached/);
  await server.stop();
});

test("a user authenticates by the seed of its NKey", async () => {
  const server = await startNats({ config: accounts.nkeyConfig });
  const urls = [server.address];
  assert.is(await plain({ urls, auth: { nkey_file: accounts.nkeyFile } }), "hello");
  assert.match(await plain({ urls }), /^NATS cannot be reached/);
  await server.stop();
});

test("a user authenticates by its JWT, in a file or inline", async () => {
  const server = await startNats({ config: accounts.jwtConfig });
  const urls = [server.address];
  const { userJwt: user_jwt, userSeed: user_nkey_seed, credentialsFile } = accounts;
  assert.is(await plain({ urls, auth: { user_credentials_file: credentialsFile } }), "hello");
  assert.is(await plain({ urls, auth: { user_jwt, user_nkey_seed } }), "hello");
  assert.match(await plain({ urls, auth: { user_nkey_seed: "", user_jwt: "" } }), /^NATS cannot be reached/);
  await server.stop();
});

test("a token in the URL authenticates", async () => {
  const server = await startNats({ config: 'authorization { token: "se:cret" }' });
  assert.is(await plain({ urls: [server.address.replace("//", "//se%3Acret@")] }), "hello");
  assert.match(await plain({ urls: [server.address.replace("//", "//wrong@")] }), /^NATS cannot be reached/);
  await server.stop();
});

test("errors in `auth` name the field and the file, and quote no content", async () => {
  const junk = join(temporaryDirectory("nats"), "junk");
  writeFileSync(junk, "a secret that is none");
  const { userJwt: user_jwt, nkeyFile: nkey_file } = accounts;
  const cases = [
    [{ nkey_file: "/nowhere" }, "auth.nkey_file (/nowhere) cannot be read (no such file or directory)"],
    [{ nkey_file: junk }, `auth.nkey_file (${junk}) holds no NKey seed`],
    [
      { user_credentials_file: "/nowhere" },
      "auth.user_credentials_file (/nowhere) cannot be read (no such file or directory)",
    ],
    [{ user_credentials_file: junk }, `auth.user_credentials_file (${junk}) holds no JWT with its seed`],
    [{ user_jwt }, "auth.user_jwt and auth.user_nkey_seed must be set together"],
    [{ user_jwt, user_nkey_seed: "a secret" }, "auth.user_nkey_seed holds no NKey seed"],
    [{ user_jwt, nkey_file }, "auth accepts only one authentication method"],
  ] as const;
  for (const [auth, message] of cases) {
    assert.is(await plain({ urls: ["nats://127.0.0.1:1"], auth }), message);
  }
});

test.run();
