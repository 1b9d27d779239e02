// `npm run soak`: all pairs in one gateway for an hour, or `--minutes N`, `--rate N` messages a second for each pair.

import "../harness/patched-kafkajs.ts";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Destination } from "../crash/destination.ts";
import { GatewayProcess } from "../crash/gateway-process.ts";
import { type Pair, pairs } from "../crash/pairs.ts";
import { streamBetween } from "../crash/run-pair.ts";
import { numbersOf, type Source } from "../crash/source.ts";
import { renderRows } from "../crash/verdict.ts";
import { startProxiedKafka } from "../harness/brokers/proxied-kafka.ts";
import { MemoryWatch } from "../slow/memory.ts";
import { type Sample, slopePerHour } from "./slope.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "60" }, rate: { type: "string", default: "50" } },
});
const [minutes, rate] = [Number(values.minutes), Number(values.rate)];

/** Minutes until the heap has reached its size: the first sixth of the run. */
const warmUp = minutes / 6;

/**
 * MB per hour that memory may grow. What a collector leaves uncollected moves by some 20 MB, which is the more per hour
 * the shorter the time is that it is measured over; 16 more would be noticed in a day.
 */
const allowedSlope = 16 + 20 / ((minutes - warmUp) / 60);

/** The same of what a full collection leaves: what is in flight moves it by a few MB. */
const allowedLiveSlope = 4 + 4 / ((minutes - warmUp) / 60);
/** The number of full collections after the first one. */
const collections = 20;

interface Line {
  readonly pair: Pair;
  readonly source: Source;
  readonly destination: Destination;
  offered: number;
}

/** Offers messages every second; a source that is behind gets the next ones when it has accepted these. */
async function feed(line: Line, gateway: GatewayProcess, until: number): Promise<void> {
  const { source } = line;
  while (Date.now() < until) {
    const next = Date.now() + 1000;
    const range = { first: line.offered, end: line.offered + rate, padding: 200 };
    await (source.fill?.(range) ?? source.send?.(gateway, range));
    line.offered = range.end;
    await pause(Math.max(0, next - Date.now()));
  }
}

/** Measures the heap after full collections, from the end of the warm-up to the end. */
async function watchLive(memory: MemoryWatch, begin: number): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  const period = ((minutes - warmUp) * 60_000) / collections;
  for (let each = 0; each <= collections; each += 1) {
    await pause(Math.max(0, begin + warmUp * 60_000 + each * period - Date.now()));
    samples.push({ at: Date.now(), value: await memory.live() });
  }
  return samples;
}

async function main(): Promise<number> {
  const kafka = await startProxiedKafka();
  const lines: Line[] = [];
  for (const pair of pairs) {
    const [source, destination] = [await pair.source(kafka), await pair.destination(kafka)];
    lines.push({ pair, source, destination, offered: 0 });
  }
  const streams = lines.map((line, index) => [`pair_${index}`, streamBetween(line.source, line.destination)]);
  const memory = await MemoryWatch.create();
  const gateway = await GatewayProcess.build(Object.fromEntries(streams), memory.launch);
  gateway.launch();
  memory.start(2000);
  const begin = Date.now();
  const watching = watchLive(memory, begin);
  await Promise.all(lines.map((line) => feed(line, gateway, begin + minutes * 60_000)));
  const live = await watching;
  for (const { destination, offered } of lines) await destination.ledger.reach(offered);
  await memory.stop();
  const exit = await gateway.terminate();
  for (const { destination } of lines) await destination.settle();

  const rows = lines.map(({ pair, destination: { ledger }, offered }) => {
    const lost = ledger.missing(numbersOf({ first: 0, end: offered })).length;
    return [pair.name, offered, lost, ledger.duplicates] as const;
  });
  const settled = memory.samples.filter(({ at }) => at > begin + warmUp * 60_000);
  const slope = slopePerHour(settled.map(({ at, resident }) => ({ at, value: resident })));
  const liveSlope = slopePerHour(live);
  console.log(renderRows([["pair", "messages", "lost", "duplicates"], ...rows]));
  console.log(
    `resident memory: ${slope.toFixed(1)} MB per hour over ${(minutes - warmUp).toFixed(1)} minutes after warm-up ` +
      `(bound ${allowedSlope.toFixed(1)}), peak ${memory.peak.resident.toFixed(0)} MB`,
  );
  console.log(
    `what a full collection leaves: ${liveSlope.toFixed(1)} MB per hour (bound ${allowedLiveSlope.toFixed(1)}), ` +
      `${live[0]?.value.toFixed(1)} MB at first, ${live.at(-1)?.value.toFixed(1)} MB at last`,
  );
  for (const { source, destination } of lines) {
    await destination.close();
    await source.close?.();
  }
  await kafka.stop();
  const isWhole = rows.every(([, , lost, duplicates]) => lost === 0 && duplicates === 0);
  if (isWhole && exit === 0 && slope <= allowedSlope && liveSlope <= allowedLiveSlope) return 0;
  console.log(`the gateway exited with ${exit}; its last lines:\n${gateway.lastLines()}`);
  return 1;
}

process.exitCode = await main();
