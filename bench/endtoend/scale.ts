// Whether a message costs the same in larger gateways, and on several processors.

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
/** Sets of fresh processes, as each settles at a speed of its own. */
const sets = 5;
const requestsPerSet = 10_000;
const connections = 64;

/** Streams of one gateway, which are divided among so many APIs. */
const sizes = [
  { streams: 1, apis: 1 },
  { streams: 100, apis: 1 },
  { streams: 100, apis: 100 },
  { streams: 10_000, apis: 100 },
];

/** Streams that requests are sent to in turn: clients of a large gateway ask for many, but not for all of them at once. */
const mostAsked = 64;

/** Milliseconds in which a gateway is built; a bound against waiting for ever, no measure. */
const longest = 600_000;

/** How much more a message may cost in the largest gateway than in that of one stream: what runs differ by. */
const mostGrowth = 1.1;

/** Least speed of two workers, of that of one. */
const leastOfTwo = 1.8;

interface Measured {
  readonly side: Side;
  readonly load: RequestLoad;
  /** Microseconds of CPU per message, by round. */
  readonly cpu: number[];
}

/**
 * CPU per message of `POST → drop` with more and more streams and APIs in the gateway. Each gateway works alone: one that rests
 * while others have their turn begins to collect the garbage of its whole memory.
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
 * What two workers on two processors do of what one does, by the CPU time of a message: with few processors the load would
 * take what the second worker needs, so that messages a second say nothing.
 */
export async function measureWorkers(): Promise<Figure> {
  const bundle = await buildStreams(1, 1);
  const second = availableParallelism() > 1 ? "0,1" : "0";
  const start = (workers: string, processors: string) =>
    open({ args: [bundle], env: { ...freeListeners, GW_WORKERS: workers }, processors }, pathsOf(1, 1));
  const sides = [await start("2", second), await start("1", "0")];
  await measure(sides);
  const [two, one] = sides;
  const speed = 2 / ratioOf(two?.cpu ?? [], one?.cpu ?? []);
  await close(sides);
  return {
    name: "POST → drop, two workers on two processors",
    shown: `${speed.toFixed(2)} of one worker (at least ${leastOfTwo})`,
    reached: speed >= leastOfTwo,
  };
}

async function open(
  start: Pick<SideStart, "args" | "env" | "processors">,
  paths: readonly string[],
): Promise<Measured> {
  const side = await startSide({ command: process.execPath, ready: gatewayListens, ...start });
  if (side.address === undefined) throw new Error("the gateway has not said where it serves");
  const orders = createOrders(false);
  const requests = paths.map((path, index) =>
    requestWith(orders[index % orders.length] ?? Buffer.alloc(0), { path }),
  );
  const load = await RequestLoad.open(side.address, requests, connections);
  // A connection on which no request comes for some seconds is ended.
  await load.send(connections);
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

/** Streams at even distances. */
function pathsOf(streams: number, apis: number): readonly string[] {
  const asked = Math.min(streams, mostAsked);
  return Array.from({ length: asked }, (_, index) => {
    const stream = Math.floor((index * streams) / asked);
    return pathOf(stream % apis, Math.floor(stream / apis));
  });
}

/** The bundle of a gateway whose streams take requests and drop them. */
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
