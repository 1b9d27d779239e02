import { setTimeout as pause } from "node:timers/promises";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { answering, answerOf, apiOf, sharing } from "../harness/api-documents.ts";
import { until } from "../harness/wait.ts";
import { eventClient, Receipts, startRequests } from "../runtime/live/load.ts";
import { startDeploying } from "./deploying.ts";

/** When the service is killed after it received a definition: while it compiles and stores, deploys, or distributes. */
type Moment = (sent: Promise<unknown>, isDeployed: () => Promise<boolean>) => Promise<unknown>;

const after =
  (milliseconds: number): Moment =>
  () =>
    pause(milliseconds);
const whenConfirmed: Moment = (sent) => sent;
const whenDeployed: Moment = (_, isDeployed) => until(isDeployed);

const moments = [after(0), after(60), whenConfirmed, whenDeployed, after(120)];

const document = (id: string, answer: string) => apiOf(answering(answer) + sharing, { id });

test("a gateway serves without a gap while its service is killed during deployments, and gets stored ones", async () => {
  const deploying = await startDeploying();
  const { url, gateway } = deploying;
  const said = () => answerOf(url, "orders");
  for (const id of ["orders", "steady"]) {
    const before = await deploying.newest();
    assert.is((await deploying.send("POST", "/apis/streams", document(id, "0"))).status, 200);
    await deploying.outcomesAfter(before);
  }
  const reported = new Receipts("events", 1_000_000);
  const client = await eventClient(`${url}/steady/events`, reported);
  const sending = ["orders/say", "steady/say", "steady/tell"].map((path) => startRequests(`${url}/${path}`));
  let confirmed = 0;
  for (const [index, moment] of moments.entries()) {
    // The gateway follows the service that the test kills.
    const first = document("orders", `${index}1`);
    assert.is((await deploying.send("PUT", "/apis/streams/orders", first)).status, 200);
    await until(async () => (await said()) === `${index}1`);
    const version = `${index}2`;
    const before = await deploying.newest();
    const changing = deploying
      .send("PUT", "/apis/streams/orders", document("orders", version))
      .catch(() => undefined); // killed before it answered: it may be stored, or not
    await moment(changing, async () => (await deploying.newest()) > before);
    await deploying.replaceService();
    const stored = /root = "(\d+)"/.exec(await deploying.definition("orders"))?.[1];
    if ((await changing)?.status === 200) {
      confirmed += 1;
      assert.is(stored, version);
    }
    await until(async () => (await said()) === stored, { what: `version ${stored}` });
  }
  const before = await deploying.newest();
  assert.is((await deploying.send("PUT", "/apis/streams/orders", document("orders", "last"))).status, 200);
  await until(async () => (await said()) === "last");
  assert.equal(
    (await deploying.outcomesAfter(before)).map(({ api, outcome }) => `${api} ${outcome}`).toSorted(),
    ["orders applied", "steady unchanged"],
  );
  const requests = await Promise.all(sending.map((each) => each.stop()));
  const sent = requests.reduce((sum, each) => sum + each.sent, 0);
  console.log(
    `\n${moments.length} kills, ${confirmed} of them after the change was confirmed; ${sent} requests`,
  );
  assert.equal(
    requests.flatMap(({ failed }) => failed),
    [],
  );
  assert.not.ok(client.isDropped());
  assert.is(reported.received, requests[2]?.sent);
  client.close();
  assert.equal(await deploying.stop(), [0, 0], gateway.output());
});

test.run();
