// `sluice run`: compiles in memory and serves; with --watch, again at each change of a document.

import type { CompileResult } from "../../compile.ts";
import { compileDocuments } from "../../compile.ts";
import { type ServedGateway, startGateway } from "../../embed/load-gateway.ts";
import { formatDiagnostics, withLineBreak } from "../diagnostics.ts";
import { packageRoot } from "../package-root.ts";
import type { OutputFormat } from "../program.ts";
import { useColor, withProgress } from "../terminal.ts";
import { createRecordingFileSystem, watchFiles } from "../watch.ts";

export interface RunOptions {
  readonly watch: boolean;
  readonly format: OutputFormat;
}

/** Serves documents until a signal ends it. Gives the exit code when there is nothing to serve. */
export async function runRun(paths: readonly string[], options: RunOptions): Promise<number> {
  const files = createRecordingFileSystem();
  const compile = async (): Promise<CompileResult> => {
    const result = await withProgress(`compiling ${paths.join(" ")}`, () =>
      compileDocuments(paths, { packageRoot: packageRoot(), fileSystem: files.fileSystem }),
    );
    const text = await formatDiagnostics(result.diagnostics, options.format, useColor(process.stderr));
    if (result.diagnostics.length > 0) process.stderr.write(withLineBreak(text));
    return result;
  };
  const first = await compile();
  let running: ServedGateway | undefined = first.files && (await startGateway(first.files));
  if (running === undefined && !options.watch) return 1;
  let stopWatching: (() => Promise<void>) | undefined;
  closeOnSignal(async () => {
    await stopWatching?.();
    await running?.close();
  });
  if (!options.watch) return 0;
  stopWatching = watchFiles(files.paths, async () => {
    const result = await compile();
    // A document with mistakes replaces nothing: what runs goes on until it compiles again.
    if (result.files === undefined) return;
    await running?.close();
    running = await startGateway(result.files);
  });
  return 0;
}

/** The first signal closes and lets the process end; the second ends it at once. */
function closeOnSignal(close: () => Promise<void>): void {
  let asked = false;
  const stop = (): void => {
    if (asked) process.exit(1);
    asked = true;
    close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
}
