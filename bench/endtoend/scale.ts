// Measures whether the cost of a message stays the same in larger gateways and on several processors.

import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { temporaryDirectory } from "../../test/harness/directories.ts";
import { sluice } from "../../test/harness/sluice.ts";
import { byHandListens, freeListeners, gatewayListens } from "../built-gateway.ts";
import type { Figure } from "../compiling.ts";
import { median } from "../measure.ts";
import { createOrders } from "../orders.ts";
import { requestWith } from "./audience.ts";
import { RequestLoad } from "./load.ts";
import { type Side, type SideStart, startSide } from "./side.ts";

/** Number of sets of new processes, as each process settles at a speed of its own; odd. */
const sets = 9;
/** Rounds are short, so that whatever else the machine does slows all processes of a set alike. */
const rounds = 31;
const requestsPerRound = 1_000;
const requestsBefore = 30_000;
/** Number of turns in which these are sent: connections without requests are closed after some seconds. */
const turnsBefore = 6;
const connections = 64;

/**
 * The streams of each gateway, and the number of APIs they are divided among. The first two are equal: their ratio shows
 * how far the measurement can be trusted.
 */
const sizes = [
  { streams: 1, apis: 1 },
  { streams: 1, apis: 1 },
  { streams: 100, apis: 1 },
  { streams: 100, apis: 100 },
  { streams: 10_000, apis: 100 },
];

/** Number of streams that get requests in turn: clients of a large gateway use many streams, but not all at once. */
const mostAsked = 64;

/** Maximum milliseconds to build a gateway; not a measurement. */
const longest = 600_000;

/** Maximum cost of a message relative to that of a gateway with one stream. */
const mostGrowth = 1.1;

/** Minimum speed of two workers relative to one. */
const leastOfTwo = 1.8;

/** A program to compare, and the paths of the requests that it gets. */
interface Contestant {
  readonly start: Omit<SideStart, "command">;
  readonly paths: readonly string[];
  /** The number of processes that share connections and requests. Each gets as many, and so is as far optimised. */
  readonly workers: number;
}

/** Measures the CPU time per message of `POST → drop` with increasing numbers of streams and APIs. */
export async function* measureStreams(): AsyncGenerator<Figure> {
  const bundles = new Map<string, string>();
  const gateways: Contestant[] = [];
  for (const { streams, apis } of sizes) {
    const key = `${streams} ${apis}`;
    const bundle = bundles.get(key) ?? (await buildStreams(streams, apis));
    bundles.set(key, bundle);
    const start = { args: [bundle], env: freeListeners, ready: gatewayListens };
    gateways.push({ start, paths: pathsOf(streams, apis), workers: 1 });
  }
  const [least = [], ...others] = await measureSets(gateways);
  for (const [index, own] of others.entries()) {
    const { streams = 0, apis = 0 } = sizes[index + 1] ?? {};
    const growth = own.map((cost, set) => cost / (least[set] ?? Number.NaN));
    yield {
      name: `POST → drop, streams: ${streams.toLocaleString("en")}, APIs: ${apis}`,
      shown: `${median(own).toFixed(1)} µs, ${withSpread(growth)} of one stream (at most ${mostGrowth})`,
      reached: median(growth) <= mostGrowth,
    };
  }
}

/**
 * Compares two workers on two processors with one, by the CPU time per message: with few processors, the load
 * generator would take CPU time from the second worker, so messages per second would be meaningless. Each worker has as
 * many connections as the only one: with fewer, it would have fewer requests each time it wakes up. It also gets as many
 * requests before the measurement: with half of them, V8 still compiles. The same is measured
 * of a program by hand, as the workers of both share the caches and the kernel with the load.
 */
export async function measureWorkers(): Promise<Figure> {
  const bundle = await buildStreams(1, 1);
  const second = availableParallelism() > 1 ? "0,1" : "0";
  const program = join(import.meta.dirname, "../by-hand/workers.ts");
  const contestants = [1, 2].flatMap((workers): readonly Contestant[] => {
    const env = { ...freeListeners, GW_WORKERS: String(workers) };
    const processors = workers === 1 ? "0" : second;
    return [
      { start: { args: [bundle], env, processors, ready: gatewayListens }, paths: pathsOf(1, 1), workers },
      { start: { args: [program], env, processors, ready: byHandListens }, paths: ["/in"], workers },
    ];
  });
  const [one = [], oneByHand = [], two = [], twoByHand = []] = await measureSets(contestants);
  const speedOf = (more: readonly number[], less: readonly number[]) =>
    more.map((cost, set) => (2 * (less[set] ?? Number.NaN)) / cost);
  const [speed, byHand] = [speedOf(two, one), speedOf(twoByHand, oneByHand)];
  return {
    name: "POST → drop, two workers on two processors",
    shown: `${withSpread(speed)} of one worker (at least ${leastOfTwo}); by hand ${withSpread(byHand)}`,
    reached: median(speed) >= leastOfTwo,
  };
}

/**
 * Measures programs in sets of processes that all run at the same time and get rounds of requests in turn. Returns the
 * microseconds per message of each program, by set. They are those of all rounds, not their median: only some rounds
 * contain a collection of memory.
 */
async function measureSets(contestants: readonly Contestant[]): Promise<readonly (readonly number[])[]> {
  const costs = contestants.map((): number[] => []);
  for (let set = 0; set < sets; set += 1) {
    for (const [index, cost] of (await measureSet(contestants)).entries()) costs[index]?.push(cost);
  }
  return costs;
}

interface Measured {
  readonly side: Side;
  readonly load: RequestLoad;
  readonly workers: number;
  /** Microseconds of CPU time of all rounds. */
  cpu: number;
}

async function measureSet(contestants: readonly Contestant[]): Promise<readonly number[]> {
  const measured: Measured[] = [];
  try {
    for (const contestant of contestants) measured.push(await open(contestant));
    for (let turn = 0; turn < turnsBefore; turn += 1) {
      for (const { load, workers } of measured) await load.send((workers * requestsBefore) / turnsBefore);
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const each of round % 2 === 0 ? measured : measured.toReversed()) {
        // Other programs have had the processor and its caches.
        await each.load.send(each.workers * connections);
        const before = each.side.cpu();
        await each.load.send(each.workers * requestsPerRound);
        each.cpu += each.side.cpu() - before;
      }
    }
  } finally {
    for (const { side, load } of measured) {
      await load.close();
      await side.stop();
    }
  }
  return measured.map(({ cpu, workers }) => cpu / (rounds * workers * requestsPerRound));
}

async function open({ start, paths, workers }: Contestant): Promise<Measured> {
  const side = await startSide({ command: process.execPath, ...start });
  if (side.address === undefined) throw new Error("the program did not report its address");
  const orders = createOrders(false);
  const requests = paths.map((path, index) =>
    requestWith(orders[index % orders.length] ?? Buffer.alloc(0), { path }),
  );
  const load = await RequestLoad.open(side.address, requests, workers * connections);
  return { side, load, workers, cpu: 0 };
}

/** Returns the median of the ratios of all sets, with the lowest and the highest. */
function withSpread(ratios: readonly number[]): string {
  const sorted = ratios.toSorted((one, other) => one - other);
  return `${median(ratios).toFixed(2)} (${sorted[0]?.toFixed(2)} to ${sorted.at(-1)?.toFixed(2)})`;
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
