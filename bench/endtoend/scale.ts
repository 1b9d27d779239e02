// Measures whether the cost of a message stays the same in larger gateways and on several processors.

import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { temporaryDirectory } from "../../test/harness/directories.ts";
import { sluice } from "../../test/harness/sluice.ts";
import { freeListeners, gatewayListens } from "../built-gateway.ts";
import type { Figure } from "../compiling.ts";
import { median } from "../measure.ts";
import { createOrders } from "../orders.ts";
import { requestWith } from "./audience.ts";
import { RequestLoad } from "./load.ts";
import { type Side, type SideStart, startSide } from "./side.ts";

const rounds = 11;
const requestsPerRound = 3_000;
const requestsBefore = 30_000;
/** Number of sets of new processes, as each process settles at a different speed; odd. */
const sets = 5;
const requestsPerSet = 10_000;
const connections = 64;

/** The streams of each gateway, and the number of APIs they are divided among. */
const sizes = [
  { streams: 1, apis: 1 },
  { streams: 100, apis: 1 },
  { streams: 100, apis: 100 },
  { streams: 10_000, apis: 100 },
];

/** Number of streams that get requests in turn: clients of a large gateway use many streams, but not all at once. */
const mostAsked = 64;

/** Maximum milliseconds to build a gateway; not a measurement. */
const longest = 600_000;

/** Maximum cost of a message in the largest gateway relative to the smallest; runs differ by this much. */
const mostGrowth = 1.1;

/** Minimum speed of two workers relative to one. */
const leastOfTwo = 1.8;

interface Measured {
  readonly side: Side;
  readonly load: RequestLoad;
  /** Microseconds of CPU time per message, by round. */
  readonly cpu: number[];
}

/**
 * Measures the CPU time per message of `POST → drop` with increasing numbers of streams and APIs. Gateways run one at
 * a time: an idle gateway would begin to collect the garbage of its whole heap.
 */
export async function* measureStreams(): AsyncGenerator<Figure> {
  const bundles: string[] = [];
  for (const { streams, apis } of sizes) bundles.push(await buildStreams(streams, apis));
  const cpu = sizes.map((): number[] => []);
  for (let set = 0; set < sets; set += 1) {
    for (const [index, { streams, apis }] of sizes.entries()) {
      const start = { args: [bundles[index] ?? ""], env: freeListeners };
      const { side, load } = await open(start, pathsOf(streams, apis));
      await load.send(requestsBefore);
      cpu[index]?.push(await costOf(side, load, requestsPerSet));
      await close([{ side, load }]);
    }
  }
  const [least = []] = cpu;
  for (const [index, { streams, apis }] of sizes.entries()) {
    if (index === 0) continue;
    const own = cpu[index] ?? [];
    const growth = ratioOf(own, least);
    yield {
      name: `POST → drop, ${streams.toLocaleString("en")} streams, APIs: ${apis}`,
      shown: `${median(own).toFixed(1)} µs, ${growth.toFixed(2)} of one stream (at most ${mostGrowth})`,
      reached: growth <= mostGrowth,
    };
  }
}

/**
 * Compares two workers on two processors with one, by the CPU time per message: with few processors, the load
 * generator would take CPU time from the second worker, so messages per second would be meaningless. Each worker has as
 * many connections as the only one: with fewer, it would have fewer requests each time it wakes up.
 */
export async function measureWorkers(): Promise<Figure> {
  const bundle = await buildStreams(1, 1);
  const second = availableParallelism() > 1 ? "0,1" : "0";
  const start = (workers: number, processors: string) => {
    const env = { ...freeListeners, GW_WORKERS: String(workers) };
    return open({ args: [bundle], env, processors }, pathsOf(1, 1), workers * connections);
  };
  const ratios: number[] = [];
  for (let set = 0; set < sets; set += 1) {
    const sides = [await start(2, second), await start(1, "0")];
    await measure(sides);
    const [two, one] = sides;
    ratios.push(ratioOf(two?.cpu ?? [], one?.cpu ?? []));
    await close(sides);
  }
  const speed = 2 / median(ratios);
  return {
    name: "POST → drop, two workers on two processors",
    shown: `${speed.toFixed(2)} of one worker (at least ${leastOfTwo})`,
    reached: speed >= leastOfTwo,
  };
}

async function open(
  start: Pick<SideStart, "args" | "env" | "processors">,
  paths: readonly string[],
  clients = connections,
): Promise<Measured> {
  const side = await startSide({ command: process.execPath, ready: gatewayListens, ...start });
  if (side.address === undefined) throw new Error("the gateway did not report its address");
  const orders = createOrders(false);
  const requests = paths.map((path, index) =>
    requestWith(orders[index % orders.length] ?? Buffer.alloc(0), { path }),
  );
  const load = await RequestLoad.open(side.address, requests, clients);
  // Connections without requests are closed after some seconds.
  await load.send(clients);
  return { side, load, cpu: [] };
}

async function measure(sides: readonly Measured[]): Promise<void> {
  for (const { load } of sides) await load.send(requestsBefore);
  for (let round = 0; round < rounds; round += 1) {
    for (const { side, load, cpu } of round % 2 === 0 ? sides : sides.toReversed()) {
      cpu.push(await costOf(side, load, requestsPerRound));
    }
  }
}

async function costOf(side: Side, load: RequestLoad, count: number): Promise<number> {
  const before = side.cpu();
  await load.send(count);
  return (side.cpu() - before) / count;
}

async function close(sides: readonly Pick<Measured, "side" | "load">[]): Promise<void> {
  for (const { side, load } of sides) {
    await load.close();
    await side.stop();
  }
}

function ratioOf(some: readonly number[], others: readonly number[]): number {
  return median(some.map((each, round) => each / (others[round] ?? Number.NaN)));
}

const pathOf = (api: number, stream: number) => `/api-${api}/s${stream}`;

/** Returns the paths of evenly spaced streams. */
function pathsOf(streams: number, apis: number): readonly string[] {
  const asked = Math.min(streams, mostAsked);
  return Array.from({ length: asked }, (_, index) => {
    const stream = Math.floor((index * streams) / asked);
    return pathOf(stream % apis, Math.floor(stream / apis));
  });
}

/** Builds a gateway whose streams accept requests and drop them. Returns the path of its bundle. */
async function buildStreams(streams: number, apis: number): Promise<string> {
  const folder = temporaryDirectory();
  const documents = Array.from({ length: apis }, (_, api) => {
    const path = join(folder, `api-${api}.yaml`);
    writeFileSync(path, stringify(createDropDocument(api, streams / apis)));
    return path;
  });
  const built = await sluice(["build", ...documents, "-o", folder, "--minify"], { timeout: longest });
  if (built.status !== 0) throw new Error(`the streams do not build:\n${built.stdout}${built.stderr}`);
  return join(folder, "gateway.mjs");
}

function createDropDocument(api: number, streams: number): unknown {
  const entries = Array.from({ length: streams }, (_, stream) => [
    `stream ${stream}`,
    { input: { http_server: { path: `/s${stream}` } }, output: { drop: {} } },
  ]);
  return {
    openapi: "3.1.1",
    info: { title: `API ${api}`, version: "1" },
    paths: {},
    "x-gw-api-gateway": { info: { name: `API ${api}` }, server: { listenPath: { value: `/api-${api}/` } } },
    "x-gw-streaming": { streams: Object.fromEntries(entries) },
  };
}
