// `sluice types`: what messages look like at each step, on standard output; diagnostics on standard error.

import { checkDocuments } from "../../compile.ts";
import { suggest } from "../../diagnostics/suggest.ts";
import type { TypesOptions } from "../command-options.ts";
import { formatDiagnostics, isFailure, withLineBreak } from "../diagnostics.ts";
import { misuse } from "../exit-codes.ts";
import { describeStreams, type StreamDescription } from "../stream-types/describe-streams.ts";
import { renderJson, renderText } from "../stream-types/render.ts";
import { useColor } from "../terminal.ts";

/** Prints the types of streams of documents without errors. Gives the exit code. */
export async function runTypes(paths: readonly string[], options: TypesOptions): Promise<number> {
  const { diagnostics, suppressed, counts, checked } = await checkDocuments(paths);
  const text = await formatDiagnostics(diagnostics, "pretty", useColor(process.stderr), suppressed);
  process.stderr.write(withLineBreak(text));
  if (checked === undefined || isFailure(counts, {})) return 1;
  const streams = describeStreams(checked);
  const { stream } = options;
  const wanted = stream === undefined ? streams : streams.filter(({ name }) => name === stream);
  if (stream !== undefined && wanted.length === 0) {
    return misuse(noStream(stream, streams));
  }
  process.stdout.write(options.json === true ? renderJson(wanted) : renderText(wanted));
  return 0;
}

function noStream(asked: string, streams: readonly StreamDescription[]): string {
  const closest = suggest(
    asked,
    streams.map(({ name }) => name),
  );
  return `unknown stream '${asked}'${closest === undefined ? "" : `; did you mean '${closest}'?`}`;
}
