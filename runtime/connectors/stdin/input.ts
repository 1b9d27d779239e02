import type { Readable } from "node:stream";
import type { Input, InputContext } from "../../component/component.ts";
import { createRedelivery, withReplay } from "../../component/redelivery.ts";
import type { Scanner } from "../../component/scanner.ts";
import { abort } from "../../concurrency/abort.ts";
import type { Message } from "../../message/message.ts";
import { linesScanner } from "../../scanners/lines.ts";
import { type StdinInputOptions, stdinInputDefaults } from "./generated/input-options.ts";

/**
 * Reads the messages of standard input, by default its lines, each once the previous one is confirmed. If the input
 * closes before a message is delivered, the next input of this process gets that message; it is lost when the process
 * ends.
 */
export function stdinInput(options: StdinInputOptions, source: Readable = process.stdin): Input {
  const { auto_replay_nacks } = { ...stdinInputDefaults, ...options };
  const closing = new AbortController();
  let running: Promise<void> | undefined;

  async function read(context: InputContext): Promise<void> {
    const redelivery = createRedelivery(context);
    const pieces = sharedPieces(source, options.scanner ?? linesScanner());
    const stopped = new Promise<undefined>((resolve) => {
      closing.signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    for (;;) {
      const next = await Promise.race([pieces.peek(), stopped]);
      if (next === undefined || closing.signal.aborted) return;
      if (next.done === true) break;
      const delivered = await redelivery.deliverNext([next.value], closing.signal);
      if (delivered === undefined) return;
      pieces.take();
    }
    await redelivery.settled();
    context.reportEnd?.();
  }

  return {
    async start(given) {
      const context = withReplay(given, auto_replay_nacks);
      holdProcess(source, "ref");
      running = read(context).catch((error: unknown) => {
        context.log.error("standard input cannot be read", { error });
        context.beginOutage?.("standard input cannot be read");
      });
    },
    async close() {
      abort(closing);
      await running;
      holdProcess(source, "unref");
    },
  };
}

/** Lets a terminal or a pipe keep the process alive, or not: otherwise it would do so even if no line is awaited. */
function holdProcess(
  source: Readable & Partial<Record<"ref" | "unref", unknown>>,
  how: "ref" | "unref",
): void {
  const change = source[how];
  if (typeof change === "function") change.call(source);
}

/** The rest of a source. */
interface SharedPieces {
  /**
   * Returns the first message that was not taken; the same one until it is taken.
   * Rejects if the source cannot be read.
   */
  peek(): Promise<IteratorResult<Message, unknown>>;
  /** Moves on to the next message. */
  take(): void;
}

/** Kept by source, because a stream that restarts creates new inputs. */
const known = /* @__PURE__ */ new WeakMap<Readable, SharedPieces>();

/** Returns the rest of `source`. The first call starts to read it. */
function sharedPieces(source: Readable, scanner: Scanner): SharedPieces {
  const shared = known.get(source) ?? share(source, scanner);
  known.set(source, shared);
  return shared;
}

function share(source: Readable, scanner: Scanner): SharedPieces {
  const pieces = scanner.scan({ bytes: source, name: "" });
  let next: Promise<IteratorResult<Message, unknown>> | undefined;
  return {
    peek() {
      next ??= pieces.next();
      return next;
    },
    take() {
      next = undefined;
    },
  };
}
