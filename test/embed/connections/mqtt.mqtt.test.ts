import { join } from "node:path";
import { connect } from "mqtt";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { startMosquitto } from "../../harness/brokers/mosquitto.ts";
import { createCertificates } from "../../harness/certificates.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { run } from "../../harness/processes.ts";
import { streamFrom, streamTo, testedLines } from "./tested.ts";

const passwords = join(temporaryDirectory("passwords"), "passwords");
await run("mosquitto_passwd", ["-c", "-b", passwords, "alice", "secret"]);
const [open, locked] = await Promise.all([
  startMosquitto(),
  startMosquitto({ configuration: ["allow_anonymous false", `password_file ${passwords}`] }),
]);
const brokers = [open, locked];
test.after(async () => {
  await Promise.all(brokers.map((broker) => broker.stop()));
});

const addressOf = ({ address }: { address: string }) => new URL(address).host;

for (const protocol_version of [4, 5]) {
  test(`the permission to subscribe is tested with MQTT version ${protocol_version}`, async () => {
    const mqtt = { urls: [open.address], topics: ["orders/#", "$share/group/bills"], protocol_version };
    assert.equal(await testedLines(streamFrom({ mqtt })), [
      `passed address ${addressOf(open)}`,
      "passed login",
      "passed right to subscribe to orders/#",
      "passed right to subscribe to bills (plainly)",
    ]);
  });
}

test("a running gateway keeps its session and receives every message", async () => {
  const client = connect(open.address, { clientId: "gateway", clean: false, reconnectPeriod: 0 });
  const closed: string[] = [];
  const received: string[] = [];
  client.on("close", () => closed.push("closed"));
  client.on("message", (_, content) => received.push(String(content)));
  await client.subscribeAsync("$share/all/steps", { qos: 1 });
  const publisher = connect(open.address);
  const mqtt = {
    urls: [open.address],
    topics: ["$share/all/steps"],
    client_id: "gateway",
    clean_session: false,
  };
  const testing = testedLines(streamFrom({ mqtt }));
  let sent = 0;
  let over = false;
  void testing.finally(() => {
    over = true;
  });
  while (!over) await publisher.publishAsync("steps", String(sent++), { qos: 1 });
  assert.is((await testing).length, 3);
  const last = new Promise((resolve) =>
    client.on("message", (_, content) => String(content) === "last" && resolve(0)),
  );
  await publisher.publishAsync("steps", "last", { qos: 1 });
  await last;
  assert.is(received.length, sent + 1);
  assert.equal(closed, []);
  await Promise.all([client.endAsync(), publisher.endAsync()]);
});

test("no message and no will is published", async () => {
  const client = connect(open.address);
  const received: string[] = [];
  client.on("message", (topic) => received.push(topic));
  await client.subscribeAsync("#");
  const will = { enabled: true, topic: "gone", payload: "gone" };
  assert.equal(await testedLines(streamTo({ mqtt: { urls: [open.address], topic: "orders", will } })), [
    `passed address ${addressOf(open)}`,
    "passed login",
    "untested right to publish: MQTT reports it only when something is published",
  ]);
  await client.publishAsync("end", "", { qos: 1 });
  await client.endAsync();
  assert.equal(
    received.filter((topic) => topic !== "end"),
    [],
  );
});

test("credentials are accepted or rejected", async () => {
  const write = (login: object) =>
    testedLines(streamTo({ mqtt: { urls: [locked.address], topic: "orders", ...login } }));
  assert.is((await write({ user: "alice", password: "secret" }))[1], "passed login");
  const refused = "failed login (authentication): the broker does not accept the login";
  assert.equal((await write({ user: "alice", password: "wrong" })).slice(1), [refused]);
  assert.equal((await write({ protocol_version: 5 })).slice(1), [refused]);
});

test("an untrusted certificate is a failure", async () => {
  const { server, authority, stranger } = await createCertificates();
  const encrypted = await startMosquitto({
    configuration: [`certfile ${server.certFile}`, `keyfile ${server.keyFile}`],
  });
  brokers.push(encrypted);
  const write = (tls: object) =>
    testedLines(
      streamTo({ mqtt: { urls: [encrypted.address], topic: "orders", tls: { enabled: true, ...tls } } }),
    );
  assert.is((await write({ root_cas: authority.cert }))[1], "passed login");
  assert.equal(await write({ root_cas: stranger.cert }), [
    `failed address ${addressOf(encrypted)} (certificate): its certificate is not trusted`,
  ]);
});

test.run();
