// `command`: runs a program for each message.

import type { Readable } from "node:stream";
import type { ComponentContext, Processor } from "../../component/component.ts";
import { computedLedBy } from "../../component/text.ts";
import { Semaphore } from "../../concurrency/semaphore.ts";
import { GatewayError, MappingError } from "../../errors.ts";
import { textOf } from "../../mapping/text.ts";
import type { Message } from "../../message/message.ts";
import { isArray } from "../../message/value.ts";
import type { MappingFunction } from "../../processors/functions.ts";
import { type CommandOptions, commandDefaults } from "../../processors/generated/command-options.ts";
import { failureFor, replaceEach } from "../../processors/replace-each.ts";
import { decodeUtf8 } from "../../text/utf8.ts";
import { describeExit, startProgram } from "./child.ts";

/** Number of programs of one processor that run in parallel. */
const programsLimit = 16;

/** Number of bytes of the standard error of a program that are kept. */
const errorsLimit = 65_536;

/**
 * Replaces each message with the standard output of the program, which receives the message on its standard input. If
 * the program fails, writes too much or takes too long, the message continues unchanged, and flagged.
 */
export function command(options: CommandOptions): Processor {
  const settings = { ...commandDefaults, ...options };
  const turns = new Semaphore(programsLimit);

  async function work(message: Message, context: ComponentContext) {
    // Like the reference, computes the fields of each message as if it were alone in its batch.
    const args = argumentsOf(options.args_mapping, message);
    const { output, errors } = await turns.use(() => run(settings, args, message.bytes(), context.signal));
    const made = message.withBytes(output);
    return errors.length === 0 ? made : made.withEntries([["command_stderr", decodeUtf8(errors)]]);
  }

  return { process: replaceEach(work, failureFor("the command could not be run")) };
}

type Settings = CommandOptions & Required<Pick<CommandOptions, "timeout" | "max_output_bytes">>;

/** Returns the arguments that a mapping makes: an array, whose values are converted to text. */
function argumentsOf(map: MappingFunction | undefined, message: Message): readonly string[] {
  if (map === undefined) return [];
  const made = computedLedBy("args mapping error: ", () => map([message], 0))?.document();
  if (made === undefined || !isArray(made)) throw new MappingError("args_mapping did not return an array");
  return made.map((value) => textOf(value));
}

async function run(
  { name, timeout, max_output_bytes }: Settings,
  args: readonly string[],
  input: Uint8Array,
  signal: AbortSignal,
): Promise<{ readonly output: Uint8Array; readonly errors: Uint8Array }> {
  const child = startProgram({ name, args });
  let failure: GatewayError | undefined;
  const give = (up: GatewayError) => {
    failure ??= up;
    child.kill();
  };
  const timer = setTimeout(
    () => give(new GatewayError(504, `The command took more than ${timeout} ms`)),
    timeout,
  );
  const stop = () => child.kill();
  signal.addEventListener("abort", stop, { once: true });
  try {
    child.process.stdin.end(input);
    const [output, errors, exit] = await Promise.all([
      gather(child.process.stdout, max_output_bytes, () =>
        give(new GatewayError(502, `The command wrote more than ${max_output_bytes} bytes`)),
      ),
      gather(child.process.stderr, errorsLimit, () => undefined),
      child.exited,
    ]);
    if (failure !== undefined) throw failure;
    if (exit.code !== 0)
      throw new MappingError(`execution error: ${describeExit(exit)}: ${decodeUtf8(errors)}`);
    return { output, errors };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    child.kill();
  }
}

/** Collects up to `limit` bytes of a stream. Skips further bytes and calls `onMore` for them. */
async function gather(source: Readable, limit: number, onMore: () => void): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of source as AsyncIterable<Buffer>) {
    if (size + part.length > limit) onMore();
    const kept = part.subarray(0, limit - size);
    size += kept.length;
    if (kept.length > 0) parts.push(kept);
  }
  return Buffer.concat(parts);
}
