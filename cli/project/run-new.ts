// Runs `sluice new`: creates a stream, an API, a mapping or a test from options and, at a terminal, from questions.

import { existsSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { exitCodes } from "../../compiler/cli/exit-codes.ts";
import { orOutputError } from "../../compiler/cli/output-folder.ts";
import { addApi, addStream, ScaffoldError, streamsOf } from "./add-to-document.ts";
import { ask, choose } from "./ask.ts";
import { apiStarter, inputStarters, mappingStarter, outputStarters, testStarter } from "./starters.ts";

/** Options of `sluice new stream`. */
export interface NewStreamOptions {
  readonly in?: string;
  readonly input?: string;
  readonly output?: string;
}

/** Options of `sluice new api`. */
export interface NewApiOptions {
  readonly listenPath?: string;
  readonly gateway: string;
}

/** Options of `sluice new test`. */
export interface NewTestOptions {
  readonly stream?: string;
}

/** Adds a stream to a document. Returns the exit code, like the other functions of this file. */
export function runNewStream(given: string | undefined, options: NewStreamOptions): Promise<number> {
  return orProblem(async () => {
    const path = options.in ?? (await ask("in", "Which document?", "orders.yaml"));
    const name = nameFrom(given ?? (await ask("<name>", "What is the stream called?", "orders")));
    const input =
      options.input ?? (await choose("input", "Where do messages come from?", Object.keys(inputStarters)));
    const output =
      options.output ?? (await choose("output", "Where do messages go?", Object.keys(outputStarters)));
    const from = starterOf(inputStarters, "input", input)(name);
    const to = starterOf(outputStarters, "output", output)(name);
    const processors = `[{ mapping: ${JSON.stringify(mappingStarter)} }]`;
    await addStream(
      path,
      name,
      `input:\n  ${input}: ${from}\npipeline:\n  processors: ${processors}\noutput:\n  ${output}: ${to}\n`,
    );
    return [`added ${name} to ${path}`, `sluice check ${path}`];
  });
}

/** Writes a document with an API and adds it to the gateway file next to it. */
export function runNewApi(given: string | undefined, options: NewApiOptions): Promise<number> {
  return orProblem(async () => {
    const name = nameFrom(given ?? (await ask("<name>", "What is the API called?", "orders")));
    const listenPath = options.listenPath ?? `/${name}/`;
    if (!/^\/(?:[\w.~-]+\/)*$/.test(listenPath)) {
      throw new ScaffoldError(`\`${listenPath}\` is not a path such as /orders/`, exitCodes.misuse);
    }
    const path = `${name}.yaml`;
    await writeNew(path, apiStarter({ name, listenPath }));
    if (!existsSync(options.gateway)) return [`made ${path}`, `sluice check ${path}`];
    await addApi(options.gateway, path);
    return [`made ${path} and added it to ${options.gateway}`, `sluice check ${options.gateway}`];
  });
}

/** Writes a file with a mapping, and its tests. */
export function runNewMapping(given: string | undefined): Promise<number> {
  return orProblem(async () => {
    const name = nameFrom(given ?? (await ask("<name>", "What is the mapping called?", "orders")));
    const path = `${name}.blobl`;
    const tests = `${name}_test.yaml`;
    refuseExisting(tests);
    await writeNew(path, mappingStarter);
    await writeNew(tests, testStarter({ mapping: path }));
    return [`made ${path} and ${tests}`, `sluice test ${tests}`];
  });
}

/** Writes tests next to a document or a mapping. */
export function runNewTest(given: string | undefined, options: NewTestOptions): Promise<number> {
  return orProblem(async () => {
    const path = given ?? (await ask("<file>", "Tests of which document or mapping?", "orders.yaml"));
    const [, stem, ending] = /^(.*)\.(ya?ml|json|blobl)$/.exec(path) ?? [];
    if (stem === undefined) throw new ScaffoldError(`${path} is neither a document nor a .blobl file`);
    if (!existsSync(path)) throw new ScaffoldError(`there is no ${path}`);
    const tests = `${stem}_test.yaml`;
    const text =
      ending === "blobl"
        ? testStarter({ mapping: path.slice(path.lastIndexOf("/") + 1) })
        : testStarter({ processors: await processorsOf(path, options.stream) });
    await writeNew(tests, text);
    return [`made ${tests}`, `sluice test ${tests}`];
  });
}

/** Returns the pointer to the processors of one stream. */
async function processorsOf(path: string, given: string | undefined): Promise<string> {
  const streams = await streamsOf(path);
  if (streams.length === 0) return "/pipeline/processors";
  const stream =
    given ?? (streams.length === 1 ? streams[0] : await choose("stream", "Tests of which stream?", streams));
  if (stream === undefined || !streams.includes(stream)) {
    throw new ScaffoldError(`${path} has no stream \`${stream}\`; it has ${streams.join(", ")}`);
  }
  return `/x-gw-streaming/streams/${stream.replaceAll("~", "~0").replaceAll("/", "~1")}/pipeline/processors`;
}

/**
 * Runs `work` and prints the result and the next step. A `ScaffoldError` is printed as one line and determines the
 * exit code.
 */
async function orProblem(work: () => Promise<readonly [done: string, next: string]>): Promise<number> {
  try {
    const [done, next] = await work();
    process.stdout.write(`${done}\n\n  ${next}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof ScaffoldError)) throw error;
    process.stderr.write(`sluice: ${error.message}\n`);
    return error.exitCode;
  }
}

/** Validates a name, which becomes part of paths, topics and files. */
function nameFrom(text: string): string {
  if (/^[a-z][a-z0-9_-]{0,63}$/.test(text)) return text;
  throw new ScaffoldError(`\`${text}\` is not a name: lower-case letters, digits, - and _`, exitCodes.misuse);
}

function starterOf<T>(starters: Readonly<Record<string, T>>, role: string, name: string): T {
  const starter = Object.hasOwn(starters, name) ? starters[name] : undefined;
  if (starter !== undefined) return starter;
  throw new ScaffoldError(
    `there is no template for the ${role} \`${name}\`, only for ${Object.keys(starters).join(", ")}`,
  );
}

function refuseExisting(path: string): void {
  if (existsSync(path)) throw new ScaffoldError(`${path} exists already`);
}

async function writeNew(path: string, text: string): Promise<void> {
  refuseExisting(path);
  await orOutputError(path, async () => {
    const file = await open(path, "wx");
    try {
      await file.writeFile(text);
    } catch (error) {
      await rm(path);
      throw error;
    } finally {
      await file.close();
    }
  });
}
