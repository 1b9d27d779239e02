// Compares whole gateways with hand-written programs and, if `BENTO` names its binary, with the reference engine.
// Each process is pinned to the first processor; the result is its CPU time per message.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { kafka, mosquitto, nats, rabbitmq } from "../../test/harness/brokers.ts";
import { createCertificates } from "../../test/harness/certificates.ts";
import { unique } from "../../test/harness/names.ts";
import { freePort } from "../../test/harness/ports.ts";
import { until } from "../../test/harness/wait.ts";
import { buildGateway, freeListeners, gatewayListens } from "../built-gateway.ts";
import type { Figure } from "../compiling.ts";
import { median } from "../measure.ts";
import { createOrders } from "../orders.ts";
import { requestWith } from "./audience.ts";
import { Http2Load } from "./http2-load.ts";
import { type Load, RequestLoad } from "./load.ts";
import { openMessageLoad, type Places, prepare } from "./message-load.ts";
import { type NeededBroker, type Row, rows } from "./rows.ts";
import { measureStreams, measureWorkers } from "./scale.ts";
import { type Side, type SideStart, startSide } from "./side.ts";
import { Upstream } from "./upstream.ts";

const rounds = 11;
/**
 * Rounds at a share of the maximum rate. One pause of the machine decides the percentile of a round, so many short rounds
 * tell more than few long ones.
 */
const pacedRounds = 61;
/** The longest such round, in seconds. */
const pacedTime = 0.125;
const requestsPerRound = 5_000;
/** The messages before the rounds, in parts, at least until a program has used `cpuBefore`. */
const requestsBefore = 30_000;
const partBefore = 5_000;
/** Microseconds of CPU time: V8 still compiles after 30,000 messages that take some microseconds each. */
const cpuBefore = 1_500_000;
/** The share of both that the reference engine gets, since it is compiled ahead of time. */
const referenceWarmUp = 0.1;
const reference = "Bento";
const connections = 64;
/** The share of the maximum rate at which latencies are compared. */
const pacedShare = 0.7;
/** Maximum memory and 99th percentile latency, relative to the hand-written program. */
const most = { memory: 1.25, latency: 2 };

const folder = import.meta.dirname;

interface MeasuredSide {
  readonly name: string;
  readonly side: Side;
  readonly load: Load;
  /** Microseconds of CPU time per message, by round. */
  readonly cpu: number[];
  /** Messages per second of wall-clock time, by round. */
  readonly rate: number[];
  readonly latencies: number[];
  /** The 99th percentile at a share of the maximum rate, by round; empty if the program determines the rate. */
  readonly paced: number[];
}

/**
 * Measures the row with the name `word`, or else all rows whose names contain it, and prints the results of each
 * program. `profile`: a folder for a CPU profile of the gateway in each row.
 */
export async function* measureEndToEnd(word: string, profile?: string): AsyncGenerator<Figure> {
  const exact = rows.filter(({ name }) => name === word);
  const named = exact.length > 0 ? exact : rows.filter(({ name }) => name.includes(word));
  if (named.length === 0 && !["streams", "workers"].some((name) => name.includes(word))) {
    throw new Error(
      `no row has "${word}" in its name; there are ${rows.map(({ name }) => name).join(", ")}, streams, workers`,
    );
  }
  for (const row of named) {
    // A side that fails does not end the other rows.
    yield await measureRow(row, profile).catch((error: Error) => ({
      name: row.title,
      shown: `failed: ${error.message}`,
      reached: false,
    }));
  }
  if ("streams".includes(word)) yield* measureStreams();
  if ("workers".includes(word)) yield measureWorkers();
}

async function measureRow(row: Row, profile: string | undefined): Promise<Figure> {
  const brokers = await Promise.all(row.needs.map(startBroker));
  const upstream = new Upstream();
  const sides: MeasuredSide[] = [];
  try {
    const variables = [
      ...brokers.map(({ variable }) => variable),
      { UPSTREAM: await upstream.start() },
      row.http2 ? await certificateFiles() : {},
    ];
    const places: Places = Object.assign({}, ...variables);
    const { share = 1 } = row;
    for (const start of sidesOf(row, places, upstream, profile)) {
      const side = await start();
      sides.push(side);
      // At once: connections that send nothing while the other sides warm up would be closed.
      await of(side.name, warmUp(side, share));
    }
    // Latencies are only compared with the program by hand.
    const timed = sides.filter(({ name }) => name !== reference);
    await takeTurns(sides, rounds, (side) => measureRound(side, requestsPerRound * share));
    await takeTurns(timed, pacedRounds, (side) => measurePaced(side, requestsPerRound * share));
    return report(row, sides);
  } finally {
    for (const { side, load } of sides) {
      await load.close();
      await side.stop();
    }
    upstream.stop();
    for (const broker of brokers) await broker.stop();
  }
}

/** Measures each side in each round; the order changes in every round. */
async function takeTurns(
  sides: readonly MeasuredSide[],
  count: number,
  measure: (side: MeasuredSide) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < count; round += 1) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) await of(side.name, measure(side));
  }
}

async function warmUp({ name, side, load }: MeasuredSide, share: number): Promise<void> {
  const part = name === reference ? referenceWarmUp : 1;
  const began = side.cpu();
  for (
    let sent = 0;
    sent < requestsBefore * part || side.cpu() - began < cpuBefore * part;
    sent += partBefore
  ) {
    await load.send(partBefore * share);
  }
}

/** Names the side whose work failed. */
function of<T>(name: string, work: Promise<T>): Promise<T> {
  return work.catch((error: Error) => {
    throw new Error(`${name}: ${error.message}`, { cause: error });
  });
}

/** Returns a function for each side that starts it and opens its load. */
function sidesOf(
  row: Row,
  brokers: Places,
  upstream: Upstream,
  profile: string | undefined,
): (() => Promise<MeasuredSide>)[] {
  const bento = process.env.BENTO;
  const makers: [string, (places: Places) => SideStart | Promise<SideStart>][] = [
    ["ours", (places) => ourStart(row, places, profile)],
    ["by hand", (places) => byHandStart(row, places)],
  ];
  if (row.referenceLacks === undefined && bento !== undefined && bento !== "")
    makers.push([reference, (places) => bentoStart(bento, row, places)]);
  return makers.map(([name, make]) => async () => {
    const names = Object.fromEntries(
      ["CLIENT_ID", "IN", "OUT", "GROUP"].map((key) => [key, unique("bench")]),
    );
    const places = { ...brokers, ...names };
    await prepare(row, places);
    const side = await startSide(await make(places));
    const load = openLoad(row, side, places, upstream).catch(async (error: Error) => {
      await side.stop();
      throw error;
    });
    return {
      name,
      side,
      load: await of(name, load),
      cpu: [],
      rate: [],
      latencies: [],
      paced: [],
    };
  });
}

async function openLoad(row: Row, { address }: Side, places: Places, upstream: Upstream): Promise<Load> {
  const { between, request, header, http2 } = row;
  const orders = createOrders(false);
  if (between !== undefined) return openMessageLoad(between, places, address, orders);
  if (row.upstream === "polled") return upstream.loadOf(places.IN ?? "");
  if (address === undefined) throw new Error("the side did not report its address");
  if (http2) return Http2Load.open(address, orders);
  const requests = request === undefined ? orders.map((order) => requestWith(order, { header })) : [request];
  // The program listens before it is connected to its broker.
  await until(async () => {
    const attempt = await RequestLoad.open(address, requests, 1);
    try {
      await attempt.send(1);
      return true;
    } catch {
      return false;
    } finally {
      await attempt.close();
    }
  });
  return RequestLoad.open(address, requests, connections);
}

function documentOf({ name, document = name }: Row): string {
  return join(folder, `documents/${document}.yaml`);
}

function byHandStart({ name, program = name, between }: Row, env: Places): SideStart {
  const distribution = typeof between?.sink === "object" ? { DISTRIBUTION: between.sink.distribution } : {};
  return {
    command: process.execPath,
    args: [join(folder, `../by-hand/${program}.ts`)],
    env: { ...env, ...distribution },
    ready: /listening on (\S+)|reading/,
  };
}

async function ourStart(row: Row, env: Places, profile: string | undefined): Promise<SideStart> {
  // Profiles need readable names.
  const minify = profile === undefined;
  const bundle = await buildGateway(documentOf(row), { env, minify });
  if (profile !== undefined) mkdirSync(join(profile, row.name), { recursive: true });
  const flags =
    profile === undefined
      ? []
      : ["--cpu-prof", `--cpu-prof-dir=${join(profile, row.name)}`, "--cpu-prof-interval=200"];
  return {
    command: process.execPath,
    args: [...flags, bundle],
    env: { ...env, ...freeListeners },
    ready: gatewayListens,
  };
}

async function bentoStart(bento: string, row: Row, env: Places): Promise<SideStart> {
  const port = await freePort();
  const servesClients = row.request !== undefined || typeof row.between?.sink === "object";
  return {
    command: bento,
    args: ["-c", documentOf(row), "--set", `http.address=127.0.0.1:${port}`],
    env: { ...env, GOMAXPROCS: "1" },
    // An output that serves clients does not log that it is ready; the load waits for its first response.
    ready: servesClients ? /Input type .* is now active/ : /Output type .* is now active/,
    address: `http://127.0.0.1:${port}`,
  };
}

async function measureRound(
  { side, load, cpu, rate, latencies }: MeasuredSide,
  count: number,
): Promise<void> {
  const [before, began] = [side.cpu(), performance.now()];
  const times = await load.send(count);
  const seconds = (performance.now() - began) / 1000;
  const done = load.actual?.(count) ?? count;
  cpu.push((side.cpu() - before) / done);
  rate.push(done / seconds);
  latencies.push(...times);
}

/** Measures a 99th percentile for each round, since a single pause of the machine decides that of all rounds. */
async function measurePaced({ load, rate, paced }: MeasuredSide, most: number): Promise<void> {
  const perSecond = median(rate) * pacedShare;
  const times = await load.sendAt?.(perSecond, Math.min(most, Math.ceil(perSecond * pacedTime)));
  if (times !== undefined) paced.push(quantile(times, 0.99));
}

/** Returns a quantile of `values`; NaN if there are none. */
function quantile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}

function report(row: Row, sides: readonly MeasuredSide[]): Figure {
  const [ours, ...others] = sides;
  const ratios = others.map((other) => {
    const speed = median((ours?.cpu ?? []).map((own, round) => (other.cpu[round] ?? Number.NaN) / own));
    return { name: other.name, speed };
  });
  const figures = sides.map(({ side, paced }) => ({
    memory: side.peakMemory() / 1024 / 1024,
    paced: median(paced),
  }));
  for (const [index, { name, cpu, rate, latencies, side }] of sides.entries()) {
    const { memory, paced: slowest } = figures[index] ?? { memory: Number.NaN, paced: Number.NaN };
    const [p50, p99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)].map((each) => each.toFixed(1));
    const waited = latencies.length === 0 ? "" : `  p50 ${p50} ms  p99 ${p99} ms`;
    const waitedAtPace = Number.isNaN(slowest)
      ? ""
      : `  p99 at ${100 * pacedShare} % ${slowest.toFixed(1)} ms`;
    console.log(
      `      ${name.padEnd(8)} ${median(cpu).toFixed(1).padStart(6)} µs  ${Math.round(median(rate))}/s${waited}${waitedAtPace}  ${Math.round(memory)} MB  start ${Math.round(side.startTime)} ms`,
    );
  }
  if (row.referenceLacks !== undefined && process.env.BENTO) {
    console.log(`      Bento    has not ${row.referenceLacks}`);
  }
  const speedOf = (wanted: string) => ratios.find(({ name }) => name === wanted)?.speed;
  const [byHand = Number.NaN, ofReference] = [speedOf("by hand"), speedOf(reference)];
  const isFast = byHand >= row.goal && (ofReference === undefined || ofReference >= row.referenceGoal);
  const [own, hand] = figures;
  const memory = (own?.memory ?? Number.NaN) / (hand?.memory ?? Number.NaN);
  const latency = (own?.paced ?? Number.NaN) / (hand?.paced ?? Number.NaN);
  const shown = [
    ...ratios.map(({ name, speed }) => `${speed.toFixed(2)} of ${name}`),
    `memory ${memory.toFixed(2)} (at most ${most.memory})`,
    ...(Number.isNaN(latency) ? [] : [`p99 ${latency.toFixed(1)} (at most ${most.latency})`]),
  ];
  // Without latencies, the comparison is skipped.
  const reached = isFast && memory <= most.memory && !(latency > most.latency);
  return { name: row.title, shown: `${shown.join(", ")} (speed at least ${row.goal})`, reached };
}

async function certificateFiles(): Promise<Places> {
  const { server } = await createCertificates();
  return { TLS_CERT: server.certFile, TLS_KEY: server.keyFile };
}

interface StartedBroker {
  /** Its address, by the variable that documents and programs read. */
  readonly variable: Places;
  stop(): Promise<void>;
}

async function startBroker(name: NeededBroker): Promise<StartedBroker> {
  const start = { nats, kafka, mqtt: mosquitto, rabbitmq }[name];
  const variable = { nats: "NATS_URL", kafka: "KAFKA_BROKERS", mqtt: "MQTT_URL", rabbitmq: "RABBITMQ_URL" }[
    name
  ];
  const broker = await start();
  return { variable: { [variable]: broker.address }, stop: () => broker.stop() };
}
