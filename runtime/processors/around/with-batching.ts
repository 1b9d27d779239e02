// Wraps an input or an output in a batching policy.

import { setMaxListeners } from "node:events";
import { preparationOf, sequencesOf, wrapOutput } from "../../component/children.ts";
import type { DeliverBatch, Input, OutcomeListener, Output } from "../../component/component.ts";
import { withRelease } from "../../component/demand.ts";
import { acceptFailure, writeThroughGate } from "../../component/gate.ts";
import { notConnected } from "../../component/persistence.ts";
import { closeProcessors } from "../../component/pipeline.ts";
import { type Collector, Collectors, InFlight } from "../../concurrency/in-flight.ts";
import type { Batch, Message } from "../../message/message.ts";
import { Batcher, type BatchPolicy } from "./batching.ts";

/**
 * Returns an input whose messages are collected into larger batches. Each message is acknowledged with its batch. For
 * an input with positions, each part of the source has its own batches: no partition waits for the outcome of another.
 */
export function inputWithBatching(input: Input, policy: BatchPolicy): Input {
  const { positions } = input;
  if (positions === undefined) return collecting(input, policy, () => "");
  return {
    ...collecting(input, policy, partOf),
    positions: {
      undelivered: (isHanded, part) => positions.undelivered(isHanded, part),
      from(at) {
        const replay = positions.from(at);
        return {
          ...collecting(replay, policy, partOf),
          undelivered: (isHanded) => replay.undelivered(isHanded),
          ends: () => replay.ends(),
          collects: true,
        };
      },
    },
  };
}

type KeyOf = (message: Message | undefined) => string;

function partOf(message: Message | undefined): string {
  return message?.position?.part ?? "";
}

/** Collects messages with the same `keyOf` into the same batches. */
function collecting(input: Input, policy: BatchPolicy, keyOf: KeyOf): Input {
  const batchers = new Map<string, Batcher>();
  const inFlight = new InFlight();
  const before = new Collectors();
  let isClosing = false;
  let leave: (() => void) | undefined;
  const member: Collector = {
    get held() {
      let held = 0;
      for (const batcher of batchers.values()) held += batcher.held;
      return held;
    },
    complete() {
      for (const batcher of batchers.values()) batcher.complete();
    },
  };
  return {
    ...(input.endpoints && { endpoints: input.endpoints }),
    isServer: input.isServer === true,
    ...preparationOf([input]),
    ...sequencesOf([input]),
    async start(context) {
      // Batchers do not need `draining`: when it is aborted, the input is closed as well, and `close` drains them. Each
      // batcher listens to `signal`, so the number of its listeners is not limited.
      const { draining: _, ...shared } = context;
      const { collectors: behind = new Collectors() } = context;
      leave = before.join(member, behind);
      const deliver = (batch: Batch) => behind.follow(context.deliver(batch));
      setMaxListeners(0, shared.signal);
      const batcherOf = (key: string) => {
        const known = batchers.get(key);
        if (known !== undefined) return known;
        const batcher = new Batcher(policy, shared, deliver, { before, behind });
        batchers.set(key, batcher);
        if (isClosing) batcher.drain();
        return batcher;
      };
      const collect: DeliverBatch = (batch) => {
        inFlight.begin();
        return batcherOf(keyOf(batch[0]))
          .add(batch)
          .finally(() => inFlight.end());
      };
      collect.each = (messages, listener) => {
        for (const [first, run] of runsOf(messages, keyOf)) {
          for (let count = run.length; count > 0; count -= 1) inFlight.begin();
          batcherOf(keyOf(run[0])).addEach(run, endingListener(inFlight, listener, first));
        }
      };
      await input.start({ ...context, deliver: collect, collectors: before });
    },
    async close() {
      // The input waits for deliveries in progress, so nothing may wait for further messages.
      isClosing = true;
      for (const batcher of batchers.values()) batcher.drain();
      await input.close();
      // Inputs that read ahead do not wait for all deliveries.
      await inFlight.empty();
      leave?.();
      await closeProcessors(policy.processors ?? []);
    },
    lag: () => input.lag?.(),
  };
}

/** Returns the runs of consecutive messages with the same key, each with the index of its first message. */
function runsOf(messages: Batch, keyOf: KeyOf): readonly (readonly [first: number, run: Batch])[] {
  const runs: [number, Batch][] = [];
  let first = 0;
  for (const [index, message] of messages.entries()) {
    const isLast = index + 1 === messages.length;
    if (!isLast && keyOf(messages[index + 1]) === keyOf(message)) continue;
    runs.push([first, isLast && first === 0 ? messages : messages.slice(first, index + 1)]);
    first = index + 1;
  }
  return runs;
}

/** Returns a listener for messages that begin at the index `first` of those of `listener`. */
function endingListener(inFlight: InFlight, listener: OutcomeListener, first: number): OutcomeListener {
  return {
    takesResponse: listener.takesResponse === true,
    confirm(index, delivered) {
      listener.confirm(first + index, delivered);
      inFlight.end();
    },
    fail(index, error) {
      listener.fail(first + index, error);
      inFlight.end();
    },
  };
}

/**
 * Returns an output that receives larger batches. Each write is confirmed with its batch. The gate for failed messages
 * comes after the processors of the policy.
 */
export function outputWithBatching(output: Output, policy: BatchPolicy): Output {
  let batcher: Batcher | undefined;
  let leave: (() => void) | undefined;
  return wrapOutput(output, {
    ...(output.demand && { demand: withRelease(output.demand, () => batcher?.flush()) }),
    async start(context) {
      const { deliversFailed = false } = context;
      const behind = new Collectors();
      batcher = new Batcher(
        policy,
        context,
        (batch) => writeThroughGate(output, deliversFailed ? batch.map(acceptFailure) : batch),
        { before: context.collectors, behind },
      );
      leave = context.collectors?.join(batcher, behind);
      await output.start({ ...context, collectors: behind });
    },
    async write(batch) {
      if (batcher === undefined) throw notConnected();
      return batcher.add(batch);
    },
    writeEach(messages, listener) {
      if (batcher !== undefined) batcher.addEach(messages, listener);
      else for (const index of messages.keys()) listener.fail(index, notConnected());
    },
    async close() {
      batcher?.drain();
      await output.close();
      await batcher?.close();
      leave?.();
    },
  });
}
