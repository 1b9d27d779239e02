import { createBackoff, pause } from "../../backoff.ts";
import type { ComponentContext, Delivered, Demand, Output } from "../../component.ts";
import { GatewayError, toGatewayError } from "../../errors.ts";
import { LostConnections } from "../../lost-connections.ts";
import type { Batch } from "../../message.ts";
import type { BrokerOutputOptions } from "./generated/output-options.ts";

const retryPauses = { first: 200, longest: 10_000 };

/**
 * `fan_out`: every output gets every batch, all at once. A write is confirmed when all have confirmed; one
 * that fails is tried again by itself until it succeeds, so that the others see nothing twice.
 */
export function brokerOutput({ outputs }: BrokerOutputOptions): Output {
  const closing = new AbortController();
  const demand = joinDemands(outputs);
  let context: ComponentContext | undefined;
  return {
    endpoints: outputs.flatMap((output) => output.endpoints ?? []),
    ...(demand === undefined ? {} : { demand }),
    async start(given) {
      context = given;
      const lost = new LostConnections(() => given.reportConnection?.(lost.reason));
      const started = await Promise.allSettled(
        outputs.map((output) => output.start({ ...given, reportConnection: lost.reporter(given.signal) })),
      );
      const failed = started.find((outcome) => outcome.status === "rejected");
      if (failed === undefined) return;
      await closeAll(outputs);
      throw failed.reason;
    },
    async write(batch) {
      if (context === undefined) throw new GatewayError(503, "The outputs are not connected");
      const signal = AbortSignal.any([closing.signal, context.signal]);
      const { log } = context;
      const writes = outputs.map((output, index) =>
        writePersistently(output, batch, { log: log.with({ output: index }), signal }),
      );
      return joinOutcomes(await Promise.allSettled(writes));
    },
    async close() {
      closing.abort();
      await closeAll(outputs);
    },
  };
}

/** Tries again until the output confirms, the failure is one that stays, or the stream ends. */
async function writePersistently(
  output: Output,
  batch: Batch,
  context: ComponentContext,
): Promise<Delivered> {
  const backoff = createBackoff(retryPauses);
  for (;;) {
    try {
      return await output.write(batch);
    } catch (error) {
      const failure = toGatewayError(error, 500, "Internal error");
      if (!failure.retryable || context.signal.aborted) throw failure;
      context.log.warn("an output of the fan-out failed, trying again", { reason: failure.message });
      await pause(backoff.next(), context.signal);
      if (context.signal.aborted) throw failure;
    }
  }
}

function joinOutcomes(outcomes: readonly PromiseSettledResult<Delivered>[]): Delivered {
  const responses = outcomes.flatMap((outcome) => {
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value.response ?? [];
  });
  return responses.length === 0 ? {} : { response: responses };
}

/**
 * Somebody has to be there for each output that hands out to clients, since all get every batch. With an
 * output among them that takes messages at any time, the others do not hold the input back.
 */
function joinDemands(outputs: readonly Output[]): Demand | undefined {
  const demands = outputs.flatMap(({ demand }) => demand ?? []);
  if (demands.length === 0 || demands.length < outputs.length) return undefined;
  return {
    get wanted() {
      return demands.every((demand) => demand.wanted);
    },
    get clients() {
      return demands.reduce((sum, demand) => sum + (demand.clients ?? 0), 0);
    },
    onChange(listener) {
      const stops = demands.map((demand) => demand.onChange(listener));
      return () => {
        for (const stop of stops) stop();
      };
    },
    release() {
      for (const demand of demands) demand.release?.();
    },
  };
}

async function closeAll(outputs: readonly Output[]): Promise<void> {
  await Promise.all(outputs.map((output) => output.close()));
}
