import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Resource, StreamParts } from "../../../runtime/component/component.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { placed } from "../../../runtime/failures/place.ts";
import { sharing } from "../../../runtime/gateway.ts";
import { createStreamManager } from "../../../runtime/stream/stream-manager.ts";
import { until } from "../../harness/wait.ts";
import { type LogLine, recordingLogger } from "../connectors/contexts.ts";
import { manualInput, memoryOutput } from "./components.ts";

/** Runs a stream with resources and records in `events` what happens to each part. */
async function run(failures: { resource?: number; output?: number; input?: number } = {}) {
  const events: string[] = [];
  const lines: LogLine[] = [];
  let left = { resource: 0, output: 0, input: 0, ...failures };
  const failing = (part: keyof typeof left) => {
    if (left[part] === 0) return;
    left = { ...left, [part]: left[part] - 1 };
    events.push(`${part} fails`);
    throw new GatewayError(503, "away");
  };
  const createResource = (name: string): Resource => ({
    async start() {
      if (name === "second") failing("resource");
      events.push(`start ${name}`);
    },
    async close() {
      events.push(`close ${name}`);
    },
  });
  let made = 0;
  const input = manualInput(() => failing("input"));
  const create = (): StreamParts => {
    made += 1;
    const resources = ["first", "second"].map((name) => placed(createResource(name), "a.yaml:1", name));
    return sharing(resources, () => ({
      input: {
        ...input,
        start: async (context) => {
          await input.start(context);
          events.push("start input");
        },
        close: async () => {
          events.push("close input");
          await input.close();
        },
      },
      output: {
        ...memoryOutput(),
        async start() {
          failing("output");
          events.push("start output");
        },
        async close() {
          events.push("close output");
        },
      },
    }));
  };
  const manager = createStreamManager({
    log: recordingLogger(lines),
    backoff: { first: 2, longest: 10 },
    demandGrace: 5,
    stopTimeout: 5_000,
    instances: { most: 1, idle: 0 },
  });
  await manager.run({
    api: "orders",
    stream: "intake",
    create: (again = create) => again(),
  });
  await until(() => manager.states()[0]?.status === "running", { what: "the status running" });
  return { manager, events, lines, made: () => made };
}

test("resources start before all other parts of a stream, and close after them", async () => {
  const { manager, events } = await run();
  await manager.close(1_000);
  assert.equal(events.slice(0, 4), ["start first", "start second", "start output", "start input"]);
  assert.equal(events.slice(-2).sort(), ["close first", "close second"]);
  assert.equal(events.filter((event) => event.startsWith("close ")).length, events.length - 4);
});

test("a resource that fails to start is retried, and those before it are not started again", async () => {
  const { manager, events, made, lines } = await run({ resource: 2 });
  assert.equal(
    events.filter((event) => !event.startsWith("close")),
    ["start first", "resource fails", "resource fails", "start second", "start output", "start input"],
  );
  assert.is(made(), 1);
  const failed = lines.filter(({ message }) => message.startsWith("stream failed to start"));
  assert.equal(
    failed.map(({ fields: { component, at } }) => `${component} ${at}`),
    ["second a.yaml:1", "second a.yaml:1"],
  );
  await manager.close(1_000);
});

test("parts that are created again share the resources of the first ones", async () => {
  const { manager, events, made } = await run({ output: 1, input: 2 });
  assert.is(events.filter((event) => event === "start first").length, 1);
  assert.is(made(), 1);
  await manager.restart("orders", "intake");
  await until(() => manager.states()[0]?.status === "running", { what: "the status running" });
  assert.is(made(), 2);
  assert.is(events.filter((event) => event === "start first").length, 2);
  await manager.close(1_000);
});

test.run();
