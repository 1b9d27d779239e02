import { suite } from "uvu";
import * as assert from "uvu/assert";
import { kafkaInput } from "../../../runtime/connectors/kafka/input.ts";
import { kafkaOutput } from "../../../runtime/connectors/kafka/output.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { startKafka } from "../../harness/brokers/kafka.ts";
import { temporaryDirectory } from "../../harness/directories.ts";
import { freePort } from "../../harness/ports.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, componentContext, inputContext } from "./contexts.ts";

const test = suite("kafka restart");

test("reading and writing resume when a broker is back, and a start without it fails", async () => {
  const port = await freePort();
  const directory = temporaryDirectory("kafka");
  const addresses = [`127.0.0.1:${port}`];
  const options = { addresses, topics: ["orders"], consumer_group: "readers", commit_period: 20 };
  // The write continues however long the broker takes to start; by default it is given up after 30 seconds.
  const backoff = { initial_interval: 100, max_interval: 500, max_elapsed_time: 0 };
  const output = kafkaOutput({ addresses, topic: "orders", backoff });
  for (const start of [
    () => output.start(componentContext()),
    () => kafkaInput(options).start(inputContext()),
  ]) {
    const refused = await start().catch((error: unknown) => error);
    assert.instance(refused, GatewayError);
    assert.is(refused instanceof GatewayError && refused.status, 502);
  }

  let broker = await startKafka({ port, directory });
  const writer = componentContext();
  await output.start(writer);
  await output.write(batchOf("before"));
  const context = inputContext();
  const input = kafkaInput(options);
  await input.start(context);
  const before = await context.deliveries.next();
  before.confirm();
  await until(() => context.lines.some(({ message }) => message === "reading from Kafka"));

  await broker.stop();
  const written = output.write(batchOf("during"));
  await until(() => writer.lines.some(({ message }) => message === "Kafka does not acknowledge, retrying"));
  await until(() =>
    context.lines.some(({ message }) => message === "Kafka connection lost, joining the group again"),
  );
  broker = await startKafka({ port, directory });
  await written;
  assert.ok(writer.lines.some(({ message }) => message === "Kafka confirms again"));
  await until(() => context.deliveries.all.some(({ text }) => text === "during"));
  for (const { confirm } of context.deliveries.all) confirm();
  await input.close();
  await output.close();
  await broker.stop();
});

test.run();
