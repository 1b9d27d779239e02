// `subprocess`: a program that keeps running and answers each message.

import type { ComponentContext, Processor } from "../../component/component.ts";
import { Semaphore } from "../../concurrency/semaphore.ts";
import { GatewayError, MappingError } from "../../errors.ts";
import { readLines } from "../../message/lines.ts";
import type { Message } from "../../message/message.ts";
import { type SubprocessOptions, subprocessDefaults } from "../../processors/generated/subprocess-options.ts";
import { failureFor, replaceEach } from "../../processors/replace-each.ts";
import { decodeUtf8 } from "../../text/utf8.ts";
import { type Child, startProgram, writeTo } from "./child.ts";
import { frame, readFrames } from "./framing.ts";

/** Milliseconds without a further line after which an error message of a program is complete. */
const errorPause = 100;

/** Largest number of lines in an error message. */
const errorLines = 100;

/**
 * Replaces each message with the answer of a program, one message at a time, and line by line if lines are sent.
 * Output on standard error flags the message. A program that has ended, or does not answer in time, is restarted for
 * the next message.
 */
export function subprocess(options: SubprocessOptions): Processor {
  const settings = { ...subprocessDefaults, ...options };
  const turn = new Semaphore(1);
  let running: Conversation | undefined;

  async function answer(message: Message, context: ComponentContext): Promise<Message> {
    const stop = () => end();
    context.signal.addEventListener("abort", stop, { once: true });
    try {
      running ??= new Conversation(settings);
      return message.withBytes(await answerTo(running, message.bytes(), settings.codec_send));
    } catch (error) {
      if (!(error instanceof MappingError)) end();
      throw error;
    } finally {
      context.signal.removeEventListener("abort", stop);
    }
  }

  function end(): void {
    running?.end();
    running = undefined;
  }

  return {
    process: replaceEach(
      (message, context) => turn.use(() => answer(message, context)),
      failureFor("the subprocess could not be asked"),
    ),
    async close() {
      end();
    },
  };
}

type Settings = SubprocessOptions & Required<Pick<SubprocessOptions, keyof typeof subprocessDefaults>>;

const newline = 0x0a;

async function answerTo(
  conversation: Conversation,
  content: Uint8Array,
  framing: Settings["codec_send"],
): Promise<Uint8Array> {
  if (framing !== "lines") return conversation.ask(content);
  const answers: Uint8Array[] = [];
  const lines = splitLines(content);
  for (const [index, line] of lines.entries()) {
    if (index > 0) answers.push(Uint8Array.of(newline));
    // A line feed at the end does not start another line.
    const isEnd = line.length === 0 && lines.length > 1 && index === lines.length - 1;
    if (!isEnd) answers.push(await conversation.ask(line));
  }
  return Buffer.concat(answers);
}

function splitLines(content: Uint8Array): readonly Uint8Array[] {
  const lines: Uint8Array[] = [];
  let start = 0;
  for (let end = content.indexOf(newline); end !== -1; end = content.indexOf(newline, start)) {
    lines.push(content.subarray(start, end));
    start = end + 1;
  }
  return [...lines, content.subarray(start)];
}

/** The next item of a source. It is requested once, and stays the same until it is taken. */
class Pending<T> {
  readonly #items: AsyncIterator<T>;
  #next: Promise<IteratorResult<T, unknown>> | undefined;

  constructor(items: AsyncIterator<T>) {
    this.#items = items;
  }

  peek(): Promise<IteratorResult<T, unknown>> {
    if (this.#next === undefined) {
      this.#next = this.#items.next();
      this.#next.catch(() => undefined); // reported where it is awaited
    }
    return this.#next;
  }

  take(): void {
    this.#next = undefined;
  }
}

/** One run of the program. */
class Conversation {
  readonly #settings: Settings;
  readonly #child: Child;
  readonly #answers: Pending<Uint8Array>;
  readonly #errors: Pending<Uint8Array>;

  constructor(settings: Settings) {
    const { max_buffer, codec_recv } = settings;
    this.#settings = settings;
    this.#child = startProgram(settings);
    const { stdout, stderr } = this.#child.process;
    this.#answers = new Pending(readFrames(stdout, codec_recv, max_buffer));
    this.#errors = new Pending(readLines(stderr, { max_buffer_size: max_buffer }));
  }

  /**
   * Returns the answer to a message. Throws a `MappingError` with the error message of the program, and 502 or 504 if
   * the program is gone.
   */
  async ask(content: Uint8Array): Promise<Uint8Array> {
    const { timeout, codec_send, name } = this.#settings;
    const timer = setTimeout(() => this.end(), timeout);
    try {
      await writeTo(this.#child, frame(content, codec_send));
      const first = await Promise.race([this.#answer(), this.#error()]);
      if (first !== undefined) return first;
      await this.#child.exited;
      throw new GatewayError(502, `The command \`${name}\` ended without an answer`);
    } finally {
      clearTimeout(timer);
    }
  }

  end(): void {
    this.#child.kill();
  }

  async #answer(): Promise<Uint8Array | undefined> {
    const next = await this.#answers.peek();
    if (next.done === true) return undefined;
    this.#answers.take();
    return next.value;
  }

  /** Never resolves: throws the error message of the program, or waits if there is none. */
  async #error(): Promise<undefined> {
    const first = await this.#errors.peek();
    if (first.done === true) return new Promise(() => undefined);
    const lines: string[] = [];
    let next: IteratorResult<Uint8Array, unknown> | undefined = first;
    while (next !== undefined && next.done !== true && lines.length < errorLines) {
      this.#errors.take();
      lines.push(decodeUtf8(next.value));
      next = await within(this.#errors.peek(), errorPause);
    }
    throw new MappingError(lines.join("\n"));
  }
}

/** Resolves with the result, or with `undefined` after so many milliseconds. */
async function within<T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
