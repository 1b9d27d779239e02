// Runs `sluice run`: compiles in memory and serves; with --watch, compiles again after each change of a document.

import { once } from "node:events";
import { compileDocuments } from "../../compile.ts";
import { StartError } from "../../embed/errors.ts";
import { type GatewayLog, type ServedGateway, startGateway } from "../../embed/load-gateway.ts";
import type { FileSystem } from "../../parse/document/file-system.ts";
import { describeCrash } from "../crash.ts";
import type { OutputFormat } from "../diagnostics.ts";
import { formatDiagnostics, withLineBreak } from "../diagnostics.ts";
import { packageRoot } from "../package-root.ts";
import { useColor, withProgress } from "../terminal.ts";
import { createTerminalLog } from "../terminal-log.ts";
import { createRecordingFileSystem, repeatOnChange } from "../watch.ts";

/** Options of `sluice run`. */
export interface RunOptions {
  readonly watch?: boolean;
  readonly format: OutputFormat;
}

type Files = ReadonlyMap<string, string>;

/** Serves documents until a signal ends it. Returns the exit code. */
export async function runRun(paths: readonly string[], options: RunOptions): Promise<number> {
  const stopping = abortOnSignal();
  if (options.watch === true) return runWatching(paths, options, stopping);
  const files = await compile(paths, options);
  if (files === undefined) return 1;
  const running = await startGateway(files, logging());
  await aborted(stopping);
  await running.close();
  return 0;
}

async function runWatching(
  paths: readonly string[],
  options: RunOptions,
  stopping: AbortSignal,
): Promise<number> {
  const { fileSystem, paths: read } = createRecordingFileSystem();
  const served = createReplaceableGateway();
  const serve = async (): Promise<void> => {
    const files = await compile(paths, options, fileSystem);
    // If a document has errors, the running gateway continues until it compiles again.
    if (files !== undefined) await served.replace(files);
  };
  try {
    await repeatOnChange(read, serve, stopping);
  } finally {
    await served.close();
  }
  return 0;
}

/** Returns the log: lines for people at a terminal, otherwise the log format of a gateway. */
function logging(): { readonly log?: GatewayLog } {
  if (process.stdout.isTTY !== true) return {};
  return { log: createTerminalLog(process.stdout, process.env.GW_LOG_LEVEL) };
}

/** Compiles and prints diagnostics; returns `undefined` if there are errors. */
async function compile(
  paths: readonly string[],
  { format }: RunOptions,
  fileSystem?: FileSystem,
): Promise<Files | undefined> {
  const reading = fileSystem === undefined ? {} : { fileSystem };
  const { diagnostics, files } = await withProgress(`compiling ${paths.join(" ")}`, () =>
    compileDocuments(paths, { packageRoot: packageRoot(), ...reading }),
  );
  const text = await formatDiagnostics(diagnostics, format, useColor(process.stderr));
  if (diagnostics.length > 0) process.stderr.write(withLineBreak(text));
  return files;
}

interface ReplaceableGateway {
  /** Serves `files`. If they cannot be started, prints why and serves the previous files again. */
  replace(files: Files): Promise<void>;
  close(): Promise<void>;
}

/** Creates the gateway of a watch. The next gateway uses the same addresses, so the running one is closed first. */
function createReplaceableGateway(): ReplaceableGateway {
  let running: ServedGateway | undefined;
  let served: Files | undefined;
  return {
    async replace(files) {
      await running?.close();
      running = await startOrReport(files);
      if (running !== undefined) served = files;
      else if (served !== undefined) running = await startOrReport(served);
    },
    close: async () => running?.close(),
  };
}

async function startOrReport(files: Files): Promise<ServedGateway | undefined> {
  try {
    return await startGateway(files, logging());
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`${describeCrash(error)}\n`);
    return undefined;
  }
}

/**
 * Aborts at the first termination signal; the second ends the process immediately. SIGHUP has the same meaning as for
 * a gateway.
 */
function abortOnSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = (signal: NodeJS.Signals): void => {
    const isStopping = controller.signal.aborted;
    if (signal === "SIGHUP" && (isStopping || process.listenerCount(signal) > 1)) return;
    if (isStopping) process.exit(1);
    controller.abort();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  return controller.signal;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}
