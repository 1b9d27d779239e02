// Runs `sluice blobl`: applies a mapping to messages, one per line, from standard input to standard output. Without a
// mapping, or at a terminal, it starts an interactive session.

import { readFileSync } from "node:fs";
import { createSink } from "../../diagnostics/sink.ts";
import { CompileError, MappingError } from "../../embed/errors.ts";
import { compileLineMapping, type LineMapping, type LineOptions } from "../../embed/line-mapping.ts";
import { nodeFileSystem } from "../../parse/document/file-system.ts";
import { maximumBytes } from "../../parse/document/limits.ts";
import { readSourceFile } from "../../parse/document/read-file.ts";
import type { Dialect } from "../../trees/dialect.ts";
import type { SetOption } from "../command-options.ts";
import { formatDiagnostics, withLineBreak } from "../diagnostics.ts";
import { runSession } from "../mapping-session.ts";
import { dialectOf } from "../set-dialect.ts";
import { useColor } from "../terminal.ts";

/** Options of `sluice blobl`: a mapping, a file that contains one, or neither. */
export interface BloblOptions extends SetOption {
  readonly mapping?: string;
  readonly file?: string;
  /** Whether `this` is the text of a line instead of its JSON document. */
  readonly raw?: boolean;
  /** Whether to print results that are documents on several lines. */
  readonly pretty?: boolean;
}

/** The file system from which mappings of the command line import: that of the machine. */
const fileSystem = { readFile: (path: string) => readFileSync(path) };

/** Runs the mapping on every line. Returns the exit code: 1 if it does not compile or fails on any line. */
export async function runBlobl(options: BloblOptions): Promise<number> {
  const dialect = await dialectOf(options);
  const source = dialect && (await readSource(options, dialect));
  if (source === undefined) return 1;
  if (process.stdin.isTTY === true) {
    await runSession(process.stdin, process.stdout, { ...source.options, mapping: source.text });
    return 0;
  }
  const { raw = false, pretty = false } = options;
  const mapping = await compileOrPrint({ ...source, options: { ...source.options, raw, pretty } });
  return mapping === undefined ? 1 : mapLines(mapping, process.stdin);
}

interface Source {
  readonly text: string;
  readonly options: LineOptions;
}

/** Returns the mapping's text, empty if none is given; `undefined` if its file was reported as unreadable. */
async function readSource(
  { mapping, file: path }: BloblOptions,
  { builtins }: Dialect,
): Promise<Source | undefined> {
  if (path === undefined) return { text: mapping ?? "", options: { builtins, fileSystem } };
  const sink = createSink();
  const reading = { fileSystem: nodeFileSystem, report: sink.report, limit: maximumBytes };
  const file = await readSourceFile(path.replaceAll("\\", "/"), reading);
  if (file !== undefined) return { text: file.text, options: { builtins, file: file.path, fileSystem } };
  const text = await formatDiagnostics(sink.diagnostics(), "pretty", useColor(process.stderr));
  process.stderr.write(withLineBreak(text));
  return undefined;
}

async function compileOrPrint({ text, options }: Source): Promise<LineMapping | undefined> {
  try {
    return compileLineMapping(text, options);
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    const frames = await formatDiagnostics(error.found, "pretty", useColor(process.stderr));
    process.stderr.write(withLineBreak(frames));
    return undefined;
  }
}

async function mapLines(mapping: LineMapping, input: AsyncIterable<Uint8Array>): Promise<0 | 1> {
  let failed = false;
  let number = 0;
  for await (const lines of readLines(input)) {
    const results: Uint8Array[] = [];
    for (const content of lines) {
      number++;
      const result = mapLine(mapping, content);
      if (typeof result === "string") {
        failed = true;
        // Write the results before the failure first.
        await write(process.stdout, results.splice(0));
        await write(process.stderr, [Buffer.from(`line ${number}: ${result}\n`)]);
      } else if (result !== undefined) results.push(result, lineBreak);
    }
    await write(process.stdout, results);
  }
  return failed ? 1 : 0;
}

const lineBreak = Buffer.from("\n");

/** Returns the resulting content, `undefined` if it was deleted, or the text of the failure. */
function mapLine(mapping: LineMapping, content: Uint8Array): Uint8Array | string | undefined {
  try {
    return mapping.run(content);
  } catch (error) {
    if (error instanceof MappingError) return error.message;
    throw error;
  }
}

/**
 * Resolves when the stream can take more, so that a slow reader slows the mapping down instead of filling the memory.
 */
async function write(stream: NodeJS.WriteStream, parts: readonly Uint8Array[]): Promise<void> {
  if (parts.length === 0 || stream.write(Buffer.concat(parts))) return;
  await new Promise<void>((resolve) => stream.once("drain", resolve));
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Yields the lines of `input` without line breaks; the last line need not have one. Reads no further than the
 * consumer does.
 */
async function* readLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Uint8Array[]> {
  let begun: Uint8Array[] = [];
  for await (const chunk of input) {
    const end = chunk.indexOf(lineFeed);
    if (end < 0) {
      begun.push(chunk);
      continue;
    }
    const lines = [withoutReturn(Buffer.concat([...begun, chunk.subarray(0, end)]))];
    let start = end + 1;
    for (let next = chunk.indexOf(lineFeed, start); next >= 0; next = chunk.indexOf(lineFeed, start)) {
      lines.push(withoutReturn(chunk.subarray(start, next)));
      start = next + 1;
    }
    begun = start < chunk.length ? [chunk.subarray(start)] : [];
    yield lines;
  }
  if (begun.length > 0) yield [withoutReturn(Buffer.concat(begun))];
}

function withoutReturn(line: Uint8Array): Uint8Array {
  return line.at(-1) === carriageReturn ? line.subarray(0, -1) : line;
}
