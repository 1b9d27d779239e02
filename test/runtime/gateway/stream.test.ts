import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Demand, Output, StreamParts } from "../../../runtime/component/component.ts";
import { CountedWrite } from "../../../runtime/component/outcomes.ts";
import { unfitMessage } from "../../../runtime/component/unfit-messages.ts";
import { GatewayError } from "../../../runtime/errors.ts";
import { unfit } from "../../../runtime/grammar/computed-text.ts";
import { Message } from "../../../runtime/message/message.ts";
import { createLogger, type Logger } from "../../../runtime/process/log.ts";
import { deadLetters } from "../../../runtime/stream/dead-letters.ts";
import { createStreamManager, type StreamManager } from "../../../runtime/stream/stream-manager.ts";
import { createCounters } from "../../../runtime/stream/stream-state.ts";
import { until } from "../../harness/wait.ts";
import { someBlockage } from "../connectors/contexts.ts";
import { type ManualInput, type MemoryOutput, manualInput, memoryOutput, textOf } from "./components.ts";

function createManager(
  demandGrace = 5,
  departing?: AbortSignal,
  log: Logger = createLogger("silent"),
): StreamManager {
  return createStreamManager({
    log,
    backoff: { first: 2, longest: 10 },
    demandGrace,
    ...(departing !== undefined && { departing }),
    stopTimeout: 5_000,
    instances: { most: 1, idle: 0 },
  });
}

async function run(create: () => StreamParts, demandGrace?: number): Promise<StreamManager> {
  const manager = createManager(demandGrace);
  await manager.run({ api: "orders", stream: "intake", create });
  return manager;
}

function statusIs(manager: StreamManager, status: string): Promise<unknown> {
  return until(() => manager.states()[0]?.status === status, { what: `the status ${status}` });
}

/** Returns an output whose demand the test sets, as clients do. */
function demandOutput(): MemoryOutput & { demand: Demand; set(wanted: boolean): void; released: number } {
  const listeners = new Set<() => void>();
  const demand = {
    wanted: false,
    onChange(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    release() {
      output.released += 1;
    },
  };
  const output = Object.assign(memoryOutput(), {
    demand,
    released: 0,
    set(wanted: boolean) {
      demand.wanted = wanted;
      for (const listener of listeners) listener();
    },
  });
  return output;
}

test("a stream runs, counts messages, and stops the input first", async () => {
  const input = manualInput();
  const output = memoryOutput();
  const manager = await run(() => ({ input, output }));
  await statusIs(manager, "running");
  assert.equal(manager.unready(), []);
  await input.deliver("a", "b");
  assert.equal(manager.states()[0]?.messages, {
    ...createCounters(),
    received: 2,
    delivered: 2,
    written: 2,
  });
  await manager.close(5_000);
  assert.is(manager.states()[0]?.status, "stopped");
  assert.equal([input.closes > 0, output.closes], [true, 1]);
});

test("an input with an unavailable broker is retried with a new instance", async () => {
  const made: ManualInput[] = [];
  let away = true;
  const manager = await run(() => {
    const input = manualInput(() => {
      if (away) throw new GatewayError(503, "Broker is away");
    });
    made.push(input);
    return { input, output: memoryOutput() };
  });
  await until(() => made.length >= 3);
  const [state] = manager.states();
  assert.is(state?.status, "failed");
  assert.is(state?.reason, "Broker is away");
  assert.ok(Date.parse(state?.nextAttempt ?? "") > 0);
  assert.equal(manager.unready(), ["orders/intake: Broker is away"]);
  away = false;
  await statusIs(manager, "running");
  for (const input of made) assert.ok(input.starts <= 1);
  await manager.close(5_000);
});

test("a message unsuitable for the dead-letter output is dropped, and a temporary failure of it is returned", async () => {
  const input = manualInput();
  const outcomes = [unfit("it is too large"), new GatewayError(502, "it is away"), undefined];
  const letters = memoryOutput(async () => {
    const failure = outcomes[0];
    if (failure !== undefined) throw failure;
    return {};
  });
  const errorHandling = { strategy: "dead_letter", output: letters, letters: deadLetters } as const;
  const manager = await run(() => ({ input, output: memoryOutput(), errorHandling }));
  await statusIs(manager, "running");
  const given: unknown[] = [];
  const failure = new GatewayError(502, "refused");
  while (outcomes.length > 0) {
    const giving = input.context?.giveUp?.([Message.fromText("a")], failure);
    given.push(
      await giving?.then(
        () => manager.states()[0]?.messages.deadLettered,
        (error: unknown) => error,
      ),
    );
    outcomes.shift();
  }
  assert.is(given[0], 0, "dropped");
  assert.is((given[1] as GatewayError).message, "it is away");
  assert.is(given[2], 1, "written");
  await manager.close(5_000);
});

test("of a batch that is given up, those letters are dropped that the dead-letter output refuses, and both are logged", async () => {
  const input = manualInput();
  const written: string[] = [];
  const letters = memoryOutput((batch) => {
    const write = new CountedWrite(batch.length);
    for (const message of batch) {
      const refusal = new GatewayError(502, "the topic is not allowed", { retryable: false });
      if (textOf(message) === "b") write.refuse(unfitMessage(message, refusal));
      else {
        written.push(textOf(message));
        write.confirm();
      }
    }
    return write.settled;
  });
  const errorHandling = { strategy: "dead_letter", output: letters, letters: deadLetters } as const;
  const lines: Readonly<Record<string, unknown>>[] = [];
  const log = createLogger("error", { write: (line) => lines.push(JSON.parse(line)) });
  const manager = createManager(undefined, undefined, log);
  const create = () => ({ input, output: memoryOutput(), errorHandling });
  await manager.run({ api: "orders", stream: "intake", create });
  await statusIs(manager, "running");
  const batch = ["a", "b", "c"].map((text) => Message.fromText(text));
  await input.context?.giveUp?.(batch, new GatewayError(502, "refused"));
  assert.equal(written, ["a", "c"]);
  assert.is(manager.states()[0]?.messages.deadLettered, 2);
  const reported = lines.filter(({ msg }) => msg === "message abandoned after its last attempt");
  assert.equal(
    reported.map(({ messages, deadLetter, deadLetterFailure }) => [messages, deadLetter, deadLetterFailure]),
    [
      [2, true, undefined],
      [1, false, "delivery_failed: the topic is not allowed"],
    ],
  );
  await manager.close(5_000);
});

test("an output with an unavailable broker is retried before the input starts", async () => {
  const input = manualInput();
  let attempts = 0;
  const manager = await run(() => {
    const output = memoryOutput();
    return {
      input,
      output: {
        ...output,
        async start() {
          attempts += 1;
          if (attempts < 3) throw new Error("connection text nobody should see");
          assert.is(input.starts, 0);
        },
      },
    };
  });
  await until(() => attempts > 0);
  assert.not.match(JSON.stringify(manager.states()), "connection text");
  await statusIs(manager, "running");
  assert.is(attempts, 3);
  await manager.close(5_000);
});

test("an input that waits for clients is prepared once, with retries until it succeeds", async () => {
  const output = demandOutput();
  const calls: string[] = [];
  let isAway = true;
  const manager = await run(() => {
    const input = manualInput(() => void calls.push("start"));
    return {
      input: {
        ...input,
        async prepare() {
          calls.push(isAway ? "away" : "prepare");
          if (isAway) throw new GatewayError(503, "Broker is away");
        },
      },
      output,
    };
  });
  await until(() => calls.length > 1);
  assert.equal(manager.unready(), ["orders/intake: Broker is away"]);
  isAway = false;
  await statusIs(manager, "waiting");
  output.set(true);
  await statusIs(manager, "running");
  output.set(false);
  await statusIs(manager, "waiting");
  await manager.close(5_000);
  assert.equal(
    calls.filter((call) => call !== "away"),
    ["prepare", "start"],
  );
});

test("an input that feeds only clients starts with the first and stops after the last", async () => {
  const output = demandOutput();
  const made: ManualInput[] = [];
  const manager = await run(() => {
    const input = manualInput();
    made.push(input);
    return { input, output };
  });
  await statusIs(manager, "waiting");
  assert.equal(manager.unready(), []);
  assert.is(made[0]?.starts, 0);
  output.set(true);
  await statusIs(manager, "running");
  output.set(false);
  await statusIs(manager, "waiting");
  assert.ok((made[0]?.closes ?? 0) > 0);
  assert.is(output.released, 1);
  assert.is(output.closes, 0);
  output.set(true);
  await statusIs(manager, "running");
  assert.is(made.length, 2);
  assert.is(made[1]?.starts, 1);
  await manager.close(5_000);
});

test("a client that reconnects within the grace period finds its input running", async () => {
  const output = demandOutput();
  const input = manualInput();
  const manager = await run(() => ({ input, output }), 3_600_000);
  output.set(true);
  await statusIs(manager, "running");
  output.set(false);
  await new Promise(setImmediate);
  output.set(true);
  await input.deliver("a");
  assert.equal([input.starts, input.closes], [1, 0]);
  output.set(false);
  await manager.close(5_000); // the grace period delays nothing
});

test("without clients an input is closed when the gateway departs, and still started for new clients", async () => {
  const departing = new AbortController();
  const manager = createManager(3_600_000, departing.signal);
  const output = demandOutput();
  const input = manualInput();
  await manager.run({ api: "orders", stream: "intake", create: () => ({ input, output }) });
  output.set(true);
  await statusIs(manager, "running");
  output.set(false);
  departing.abort();
  await statusIs(manager, "waiting");
  assert.equal([input.starts, input.closes], [1, 1]);
  output.set(true);
  await statusIs(manager, "running");
  output.set(false);
  await statusIs(manager, "waiting");
  await manager.close(5_000);
});

test("an input with its own routes does not wait for clients", async () => {
  const input = { ...manualInput(), endpoints: [endpoint()] };
  const manager = await run(() => ({ input, output: demandOutput() }));
  await statusIs(manager, "running");
  await manager.close(5_000);
});

test("a stream blocked by a message has the status blocked", async () => {
  const input = manualInput();
  const manager = await run(() => ({ input, output: memoryOutput() }));
  await statusIs(manager, "running");
  const end = input.context?.beginBlockage(someBlockage("a"));
  const { status, reason, blocked, lastError } = manager.states()[0] ?? {};
  assert.is(status, "blocked");
  assert.is(reason, "delivery_failed: no broker");
  assert.equal(
    { ...blocked, since: "" },
    {
      reason: "delivery_failed",
      detail: "no broker",
      attempts: 1,
      since: "",
      batches: 1,
    },
  );
  assert.is(lastError?.reason, reason);
  end?.();
  assert.is(manager.states()[0]?.status, "running");
  await manager.close(5_000);
});

test("stopping waits for messages in flight", async () => {
  const input = manualInput();
  const gate = Promise.withResolvers<void>();
  const manager = await run(() => ({ input, output: memoryOutput(() => gate.promise.then(() => ({}))) }));
  const delivery = input.deliver("a");
  await until(() => manager.states()[0]?.messages.inFlight === 1);
  const closing = manager.close(60_000);
  await statusIs(manager, "draining");
  assert.equal(manager.unready(), ["orders/intake: draining"]);
  gate.resolve();
  assert.equal(await delivery, {});
  await closing;
});

test("a stream that stops does not wait for clients that have disconnected", async () => {
  const input = manualInput();
  const waiting = Promise.withResolvers<never>();
  const output = Object.assign(demandOutput(), { write: () => waiting.promise });
  output.demand.release = () => waiting.reject(new GatewayError(503, "nobody is there"));
  const manager = await run(() => ({ input, output }));
  output.set(true);
  const delivery = input.deliver("a").then(
    () => "delivered",
    () => "refused",
  );
  await until(() => manager.states()[0]?.messages.inFlight === 1);
  const closing = manager.close(60_000);
  await statusIs(manager, "draining");
  output.set(false);
  assert.is(await delivery, "refused");
  await closing;
});

test("messages in flight at the deadline are rejected and the stream stops", async () => {
  const input = manualInput();
  const refused = Promise.withResolvers<never>();
  const output: Output = {
    async start() {},
    write: () => refused.promise,
    async close() {
      refused.reject(new GatewayError(503, "closing"));
    },
  };
  const manager = await run(() => ({ input, output }));
  const delivery = input.deliver("a").then(
    () => "delivered",
    () => "refused",
  );
  await until(() => manager.states()[0]?.messages.inFlight === 1);
  await manager.close(1);
  assert.is(await delivery, "refused");
});

test("a stream that never reached its broker stops immediately", async () => {
  const input = manualInput(() => {
    throw new GatewayError(503, "Broker is away");
  });
  const manager = createStreamManager({
    log: createLogger("silent"),
    backoff: { first: 3_600_000, longest: 3_600_000 },
    demandGrace: 0,
    stopTimeout: 5_000,
    instances: { most: 1, idle: 0 },
  });
  await manager.run({ api: "a", stream: "s", create: () => ({ input, output: memoryOutput() }) });
  await statusIs(manager, "failed");
  await manager.close(60_000);
  assert.is(manager.states()[0]?.status, "stopped");
});

test("running the same factory again reuses the stream, another one replaces it", async () => {
  const inputs = [manualInput(), manualInput()] as const;
  const first = () => ({ input: inputs[0], output: memoryOutput() });
  const manager = await run(first);
  await statusIs(manager, "running");
  await manager.run({ api: "orders", stream: "intake", create: first });
  assert.equal([inputs[0].starts, inputs[0].closes], [1, 0]);
  await manager.run({
    api: "orders",
    stream: "intake",
    create: () => ({ input: inputs[1], output: memoryOutput() }),
  });
  await until(() => inputs[1].starts === 1);
  assert.ok(inputs[0].closes > 0);
  assert.is(manager.states().length, 1);
  await manager.remove("orders", "intake");
  assert.equal(manager.states(), []);
});

test("a stopped stream stays listed, and continues counting when it is started", async () => {
  const made: ManualInput[] = [];
  const manager = await run(() => {
    made.push(manualInput());
    return { input: made.at(-1) ?? manualInput(), output: memoryOutput() };
  });
  await made[0]?.deliver("a");
  await manager.stop("orders", "intake");
  assert.is(manager.states()[0]?.status, "stopped");
  assert.is(manager.states()[0]?.messages.delivered, 1);
  assert.equal(manager.unready(), [], "what an operator stopped is no reason to take the gateway out");
  manager.start("orders", "intake");
  manager.start("orders", "intake");
  await made[1]?.deliver("b");
  assert.is(manager.states()[0]?.messages.delivered, 2);
  assert.is(made.length, 2);
  await manager.close(5_000);
  manager.start("orders", "intake");
  assert.is(manager.states()[0]?.status, "stopped", "a gateway that closes starts nothing");
});

test("a restart stops the stream and starts it with new parts", async () => {
  const made: ManualInput[] = [];
  const manager = await run(() => {
    made.push(manualInput());
    return { input: made.at(-1) ?? manualInput(), output: memoryOutput() };
  });
  await statusIs(manager, "running");
  await manager.restart("orders", "intake");
  await statusIs(manager, "running");
  assert.equal(
    made.map(({ starts, closes }) => [starts, closes > 0]),
    [
      [1, true],
      [1, false],
    ],
  );
  await manager.close(5_000);
});

function endpoint() {
  return { transport: "http", verbs: ["POST"], path: "/", handle: async () => undefined } as const;
}

test.run();
