import type { Msg } from "@nats-io/transport-node";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { GivenBack } from "../../runtime/component/given-back.ts";
import type { Blockage } from "../../runtime/conditions/blockage.ts";
import { Conditions, type EndCondition } from "../../runtime/conditions/conditions.ts";
import { Attempts } from "../../runtime/connectors/kafka/attempts.ts";
import {
  Deliveries,
  eachAlone,
  type Settlement,
} from "../../runtime/connectors/nats/jetstream/deliveries.ts";
import { GatewayError } from "../../runtime/errors.ts";
import { batchOf, inputContext, recordingLogger } from "./connectors/contexts.ts";

const test = suite("conditions");
const parameters = { seed: 20, numRuns: 150 };
const refusal = new GatewayError(502, "not now");

test("the open conditions are those begun and not ended, for any order and any scope", () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("begin" as const), scope: fc.nat(2) }),
    fc.record({ kind: fc.constant("end" as const), which: fc.nat(30) }),
    fc.record({ kind: fc.constant("abort" as const), scope: fc.nat(2) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let cleared = 0;
      const conditions = new Conditions<number>({
        onClear() {
          cleared += 1;
        },
      });
      const scopes = [0, 1, 2].map(() => new AbortController());
      const begins = scopes.map(({ signal }) => conditions.within(signal));
      const model = new Map<number, number>();
      const ends: EndCondition[] = [];
      let clearings = 0;
      for (const each of steps) {
        const before = model.size;
        if (each.kind === "begin") {
          const id = ends.length;
          const end = begins[each.scope]?.(id);
          if (end !== undefined) ends.push(end);
          if (scopes[each.scope]?.signal.aborted !== true) model.set(id, each.scope);
        } else if (each.kind === "end") {
          const id = ends.length === 0 ? 0 : each.which % ends.length;
          ends[id]?.();
          model.delete(id);
        } else {
          scopes[each.scope]?.abort();
          for (const [id, scope] of model) if (scope === each.scope) model.delete(id);
        }
        if (before > 0 && model.size === 0) clearings += 1;
        assert.is(conditions.size, model.size);
        assert.is(conditions.oldest, model.keys().next().value);
        assert.is(cleared, clearings);
      }
    }),
    parameters,
  );
});

test("retried writes to Kafka are an outage for exactly as long as one of them is retried", async () => {
  const writes = fc.array(fc.array(fc.boolean(), { maxLength: 4 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), writes, fc.nat(4), async (scheduler, outcomes, maxRetries) => {
      const outages = new Conditions<string>();
      const attempts = new Attempts({
        maxRetries,
        firstPause: 0,
        longestPause: 0,
        maxElapsed: 0,
        closing: new AbortController().signal,
        log: recordingLogger(),
        beginOutage: outages.within(new AbortController().signal),
      });
      const failing = new Set<number>();
      const made = outcomes.map(async (fails, index) => {
        const left = [...fails];
        try {
          await attempts.make(async () => {
            const isFailing = left.shift() ?? false;
            await scheduler.schedule(Promise.resolve());
            if (!isFailing) return;
            failing.add(index);
            throw new Error("no leader");
          });
        } catch (error) {
          assert.instance(error, GatewayError);
        } finally {
          failing.delete(index);
        }
        assert.is(outages.size, failing.size);
      });
      // Attempts pause between two turns of the event loop, which the scheduler does not observe.
      const all = Promise.all(made);
      let isOver = false;
      void all.finally(() => {
        isOver = true;
      });
      while (!isOver) {
        await scheduler.waitIdle();
        await new Promise((resolve) => setImmediate(resolve));
      }
      await all;
      assert.is(outages.size, 0);
    }),
    { ...parameters, numRuns: 60 },
  );
});

test("JetStream messages block from their first rejection until they are settled, in any order", async () => {
  const outcomes = fc.array(fc.array(fc.boolean(), { maxLength: 3 }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), outcomes, async (scheduler, refusals) => {
      const blockages = new Conditions<Blockage>();
      const positionOf = (index: number) => ({
        stream: "S",
        domain: "",
        streamSequence: index + 1,
        consumerSequence: `${index + 1}`,
        delivered: "1",
        pending: 0,
        timestampNanos: "1",
      });
      const left = refusals.map((each) => [...each]);
      const deliveries: Deliveries = new Deliveries({
        deliver: eachAlone(async (_message, position): Promise<Settlement> => {
          const index = position.streamSequence - 1;
          await scheduler.schedule(Promise.resolve());
          if (left[index]?.shift() !== true) return "done";
          // The server delivers the message again after it receives the refusal.
          setImmediate(() => deliveries.take(message, position));
          return { again: 0, refused: { batch: batchOf(String(index)), failure: refusal } };
        }),
        answer: () => undefined,
        onSettled: () => undefined,
        beginBlockage: blockages.within(new AbortController().signal),
        isShared: false,
      });
      const message = { subject: "s" } as Msg; // only this field is read
      refusals.forEach((_, index) => {
        deliveries.take(message, positionOf(index));
      });
      const isOver = () => deliveries.resumeAt() === refusals.length + 1;
      while (!isOver()) {
        await scheduler.waitIdle();
        await new Promise((resolve) => setImmediate(resolve));
      }
      deliveries.close();
      assert.is(blockages.size, 0);
    }),
    { ...parameters, numRuns: 60 },
  );
});

test("negatively acknowledged messages block until they are settled or their reader closes", () => {
  const steps = fc.array(fc.record({ key: fc.nat(3), fails: fc.boolean() }), { maxLength: 30 });
  fc.assert(
    fc.property(steps, (given) => {
      const blockages = new Conditions<Blockage>();
      const beginBlockage = blockages.within(new AbortController().signal);
      const givenBack = new GivenBack({ ...inputContext(), beginBlockage }, () => ({ queue: "in" }));
      const model = new Map<number, number>();
      for (const { key, fails } of given) {
        if (fails) {
          model.set(key, (model.get(key) ?? 0) + 1);
          assert.is(givenBack.failed(String(key), batchOf("a"), refusal), model.get(key));
        } else {
          model.delete(key);
          givenBack.settled(String(key));
        }
        assert.is(blockages.size, model.size);
      }
      givenBack.close();
      assert.is(blockages.size, 0);
    }),
    parameters,
  );
});

test.run();
