// Checks the state of a stream while its connections fail at random, its brokers send malformed data, and some messages
// are refused.

import { inspect } from "node:util";
import { GatewayError } from "../../../runtime/errors.ts";
import { createLogger } from "../../../runtime/process/log.ts";
import { createStreamManager } from "../../../runtime/stream/stream-manager.ts";
import { unique } from "../../harness/names.ts";
import type { TcpProxy } from "../../harness/tcp-proxy.ts";
import { until } from "../../harness/wait.ts";
import { batchOf, componentContext } from "../../runtime/connectors/contexts.ts";
import type { Campaign } from "../campaign.ts";
import { createRandom, type Random } from "../growth/inputs.ts";
import { type Pair, startPairs } from "./pairs.ts";

type Fault = (proxy: TcpProxy, random: Random) => void;

const faults: readonly Fault[] = [
  (proxy) => proxy.reset(),
  (proxy) => proxy.freeze(),
  (proxy) => proxy.hold(),
  (proxy) => proxy.mute(),
  (proxy, random) => proxy.garble((bytes) => garbled(bytes, random)),
  (proxy) => proxy.release(),
];

/**
 * Returns changed bytes of a server, only occasionally: if every chunk were changed, clients would see the first change
 * only.
 */
function garbled(bytes: Buffer, random: Random): Buffer {
  if (random.below(3) > 0 || bytes.length === 0) return bytes;
  const at = random.below(bytes.length);
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
  const other = Buffer.from(Array.from({ length: 1 + random.below(8) }, () => random.pick(oddBytes)));
  switch (random.below(4)) {
    case 0:
      return Buffer.concat([before, other, after]);
    case 1:
      return Buffer.concat([before, other, after.subarray(other.length)]);
    case 2:
      return before;
    default:
      return Buffer.concat([before, after, after]);
  }
}

/** Line breaks, digits, and bytes that occur in lengths and types. */
const oddBytes = [0, 1, 2, 4, 9, 10, 13, 32, 36, 42, 43, 45, 48, 57, 58, 64, 65, 127, 128, 254, 255];

/** Streams from a broker to the same broker, through proxies that break their connections. */
export const states: Campaign = {
  claim:
    "A stream whose connections and messages fail in any order runs, and says so, once they fail no more; no process ends.",
  prepare: async () => {
    const { pairs, close } = await startPairs();
    return {
      async round(seed) {
        const pair = pairs[seed % pairs.length];
        if (pair === undefined) return { attempts: 0, findings: [] };
        const findings: string[] = [];
        const note = (error: unknown) =>
          void findings.push(`${pair.name}: the process would end: ${inspect(error)}`);
        process.on("uncaughtException", note); // also catches unhandled rejections
        try {
          const finding = await breakOne(pair, createRandom(seed));
          if (finding !== undefined) findings.push(`${pair.name}: ${finding}`);
        } finally {
          process.off("uncaughtException", note);
        }
        return { attempts: 1, findings };
      },
      close,
    };
  },
};

async function breakOne(pair: Pair, random: Random): Promise<string | undefined> {
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
      refusals += random.below(2);
      await publisher.write(batchOf(String(step)));
      random.pick(faults)(random.pick(proxies), random);
      await new Promise((resolve) => setTimeout(resolve, random.below(120)));
    }
    refusals = 0;
    for (const proxy of proxies) {
      proxy.release();
      proxy.reset(); // otherwise only heartbeats would detect muted and frozen connections
    }
    const isWell = () => status() === "running" && manager.unready().length === 0;
    try {
      await until(isWell, { what: "the stream" });
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
