// The state of a stream whose connections fail at random, and whose messages are refused now and then.

import { GatewayError } from "../../../runtime/errors.ts";
import { createLogger } from "../../../runtime/process/log.ts";
import { createStreamManager } from "../../../runtime/stream/stream-manager.ts";
import { unique } from "../../harness/names.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, componentContext } from "../../runtime/connectors/contexts.ts";
import type { Campaign } from "../campaign.ts";
import { createRandom } from "../growth/inputs.ts";
import { type Pair, startPairs } from "./pairs.ts";

const faults = ["reset", "freeze", "hold", "mute", "release"] as const;

/** Streams from a broker to it, through proxies that break their connections. */
export const states: Campaign = {
  claim:
    "A stream whose connections and messages fail in any order runs, and says so, once they fail no more.",
  prepare: async () => {
    const { pairs, close } = await startPairs();
    return {
      async round(seed) {
        const pair = pairs[seed % pairs.length];
        if (pair === undefined) return { attempts: 0, findings: [] };
        const finding = await breakOne(pair, createRandom(seed).below);
        return { attempts: 1, findings: finding === undefined ? [] : [`${pair.name}: ${finding}`] };
      },
      close,
    };
  },
};

async function breakOne(pair: Pair, next: (limit: number) => number): Promise<string | undefined> {
  const [from, to] = [unique("from"), unique("to")];
  await pair.declare?.(from);
  await pair.declare?.(to);
  const [read, written] = [await pair.open(), await pair.open()];
  const proxies = [read.proxy, written.proxy] as const;
  const manager = createStreamManager({
    log: createLogger("silent"),
    backoff: { first: 50, longest: 500 },
    demandGrace: 5,
    stopTimeout: 5_000,
    instances: { most: 1, idle: 0 },
  });
  const publisher = pair.output(pair.direct, from);
  let refusals = 0;
  try {
    await manager.run({
      api: "review",
      stream: pair.name,
      create: () => ({
        input: pair.input(read.address, from),
        pipeline: [
          {
            process(batch) {
              if (refusals === 0) return [batch];
              refusals -= 1;
              throw new GatewayError(503, "not now");
            },
          },
        ],
        output: pair.output(written.address, to),
      }),
    });
    const status = () => manager.states()[0]?.status;
    await until(() => status() === "running", { what: "the start" });
    await publisher.start(componentContext());
    for (let step = 0; step < 12; step++) {
      refusals += next(2);
      await publisher.write(batchOf(String(step)));
      const fault = faults[next(faults.length)] ?? "release";
      proxies[next(2) === 0 ? 0 : 1][fault]();
      await new Promise((resolve) => setTimeout(resolve, next(120)));
    }
    refusals = 0;
    for (const proxy of proxies) {
      proxy.release();
      proxy.reset(); // what was muted or frozen would only be found out by its heartbeats
    }
    const isWell = () => status() === "running" && manager.unready().length === 0;
    try {
      await until(isWell, { what: "the stream", timeout: 60_000 });
      return undefined;
    } catch {
      return `it stays ${JSON.stringify(manager.states()[0])}`;
    }
  } finally {
    await manager.close(5_000);
    await publisher.close();
    await Promise.all([read.close(), written.close()]);
  }
}
