// Measures the footprint of a gateway before its first message: startup time, memory, size of its bundle, and compile
// time.

import { cpSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { build } from "esbuild";
import { stringify } from "yaml";
import { temporaryDirectory } from "../../test/harness/directories.ts";
import { run } from "../../test/harness/processes.ts";
import { buildGateway, freeListeners, gatewayListens } from "../built-gateway.ts";
import type { Figure } from "../compiling.ts";
import { createLargeDescription, createSetDocument } from "../descriptions.ts";
import { startSide } from "../endtoend/side.ts";
import { installCommand } from "../installed.ts";
import { median } from "../measure.ts";
import { measureClients } from "./clients.ts";

const rounds = 11;
const documents = join(import.meta.dirname, "../endtoend/documents");

/** The environment of the benchmarks' documents; no broker is connected. */
const env = {
  NATS_URL: "nats://127.0.0.1:1",
  MQTT_URL: "mqtt://127.0.0.1:1",
  KAFKA_BROKERS: "127.0.0.1:1",
  CLIENT_ID: "bench",
  OUT: "out",
};

/** Maximum size of a minified bundle in KB (1024 bytes), by document. */
const largest = { "post-drop": 175, "post-nats": 350, "post-mqtt": 300, "post-kafka": 420 };

/** Number of streams per document of a set. */
const streamsPerDocument = 100;

/** Maximum seconds of `check` and `build` by number of streams. */
const compiling = [
  { streams: 1, check: 1, build: 2 },
  { streams: 1000, check: 1.5, build: 3 },
  { streams: 10_000, check: 4, build: 12 },
];

/** Measures all figures one after the other. */
export async function* measureFootprint(): AsyncGenerator<Figure> {
  yield* measureSizes();
  yield* measureStart();
  yield* measureClients();
  yield* measureSets();
  yield await measureLargeDescription();
}

async function* measureSizes(): AsyncGenerator<Figure> {
  for (const [name, limit] of Object.entries(largest)) {
    const bundle = await buildGateway(join(documents, `${name}.yaml`), { env });
    const size = statSync(bundle).size / 1024;
    yield {
      name: `minified bundle of ${name}`,
      shown: `${size.toFixed(0)} KB (at most ${limit})`,
      reached: size <= limit,
    };
  }
}

async function* measureStart(): AsyncGenerator<Figure> {
  const folder = mkdtempSync(join(tmpdir(), "g"));
  const ours = {
    command: process.execPath,
    args: [copyTo(folder, await buildGateway(join(documents, "post-drop.yaml")))],
    env: freeListeners,
    ready: gatewayListens,
  };
  const byHand = {
    command: process.execPath,
    args: [copyTo(folder, await compileProgram(join(import.meta.dirname, "../by-hand/post-drop.ts")))],
    ready: /listening on (\S+)/,
  };
  const measured = { ours: [] as Started[], byHand: [] as Started[] };
  for (let round = 0; round <= rounds; round += 1) {
    const [own, other] = [await startOnce(ours), await startOnce(byHand)];
    if (round === 0) continue; // the first round fills the caches
    measured.ours.push(own);
    measured.byHand.push(other);
  }
  rmSync(folder, { recursive: true });
  const times = (side: readonly Started[]) => Math.round(median(side.map(({ time }) => time)));
  const sizes = (side: readonly Started[]) =>
    Math.round(median(side.map(({ memory }) => memory)) / 1024 / 1024);
  const [time, memory] = [times(measured.ours), sizes(measured.ours)];
  yield {
    name: "start to listening, one API",
    shown: `${time} ms (at most 60); by hand ${times(measured.byHand)} ms`,
    reached: time <= 60,
  };
  yield {
    name: "idle memory, one API",
    shown: `${memory} MB (at most 50); by hand ${sizes(measured.byHand)} MB`,
    reached: memory <= 50,
  };
}

/**
 * Copies a program into `folder`, whose path is as short as those in images. With a path of 30 characters, Node's own
 * functions for paths run so often that V8 compiles one of them, and its compiler takes 2 MB.
 */
function copyTo(folder: string, program: string): string {
  const copy = join(folder, basename(program));
  cpSync(program, copy);
  return copy;
}

/** Compiles a program by hand to one file of JavaScript, as a gateway is: types would be removed at each start. */
async function compileProgram(program: string): Promise<string> {
  const outfile = join(temporaryDirectory(), "program.mjs");
  await build({
    entryPoints: [program],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "silent",
  });
  return outfile;
}

interface Started {
  /** Milliseconds until it was ready. */
  readonly time: number;
  /** Resident memory in bytes one second later. */
  readonly memory: number;
}

async function startOnce(start: Parameters<typeof startSide>[0]): Promise<Started> {
  const side = await startSide(start);
  await wait(1000);
  const memory = side.memory();
  await side.stop();
  return { time: side.startTime, memory };
}

async function* measureSets(): AsyncGenerator<Figure> {
  for (const { streams, ...limits } of compiling) {
    const paths = writeSet(streams);
    for (const command of ["check", "build"] as const) {
      const output = command === "build" ? ["-o", temporaryDirectory()] : [];
      const seconds = await secondsOf([command, ...paths, ...output]);
      yield {
        name: `${command} of ${streams.toLocaleString("en")} streams`,
        shown: `${seconds.toFixed(1)} s (at most ${limits[command]})`,
        reached: seconds <= limits[command],
      };
    }
  }
}

function writeSet(streams: number): readonly string[] {
  const folder = temporaryDirectory();
  return Array.from({ length: Math.ceil(streams / streamsPerDocument) }, (_, index) => {
    const path = join(folder, `api-${index}.yaml`);
    writeFileSync(path, stringify(createSetDocument(index, Math.min(streams, streamsPerDocument))));
    return path;
  });
}

async function measureLargeDescription(): Promise<Figure> {
  const text = JSON.stringify(createLargeDescription(5000), undefined, 1);
  const path = join(temporaryDirectory(), "large.json");
  writeFileSync(path, text);
  const seconds = await secondsOf(["check", path]);
  return {
    name: `check of a description of ${(text.length / 1e6).toFixed(1)} MB`,
    shown: `${seconds.toFixed(2)} s (at most 1)`,
    reached: seconds <= 1,
  };
}

let installed: string | undefined;

/** Returns the median duration of a command. */
async function secondsOf(args: readonly string[]): Promise<number> {
  installed ??= installCommand();
  const times: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const began = performance.now();
    const { status, stdout, stderr } = await run(process.execPath, [installed, ...args]);
    if (status !== 0) throw new Error(`${args[0]} exits with ${status}: ${stdout}${stderr}`);
    times.push((performance.now() - began) / 1000);
  }
  return median(times);
}
