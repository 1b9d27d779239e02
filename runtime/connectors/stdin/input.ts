import type { Readable } from "node:stream";
import type { Input, InputContext } from "../../component/component.ts";
import { createRedelivery } from "../../component/redelivery.ts";
import { type LineReaderOptions, readLines } from "../../message/lines.ts";
import { Message } from "../../message/message.ts";
import { type StdinInputOptions, stdinInputDefaults } from "./generated/input-options.ts";

/**
 * Reads the lines of standard input; the next one is taken once the one before it is confirmed. What an input has read
 * and not delivered when it closes is there for the next one of this process; nobody has it when the process is gone.
 */
export function stdinInput(options: StdinInputOptions, source: Readable = process.stdin): Input {
  const { auto_replay_nacks } = { ...stdinInputDefaults, ...options };
  const closing = new AbortController();
  let running: Promise<void> | undefined;

  async function read(context: InputContext): Promise<void> {
    const redelivery = createRedelivery(context);
    const lines = sharedLines(source, options.scanner?.lines ?? {});
    const stopped = new Promise<undefined>((resolve) => {
      closing.signal.addEventListener("abort", () => resolve(undefined), { once: true });
    });
    for (;;) {
      const next = await Promise.race([lines.peek(), stopped]);
      if (next === undefined || closing.signal.aborted) return;
      if (next.done === true) break;
      const delivered = await redelivery.deliver([Message.fromBytes(next.value, new Map())], closing.signal);
      if (delivered === undefined) return;
      lines.take();
    }
    context.reportEnd?.();
  }

  return {
    async start(given) {
      const context: InputContext = auto_replay_nacks ? given : { ...given, maxAttempts: 1 };
      holdProcess(source, "ref");
      running = read(context).catch((error: unknown) => {
        context.log.error("standard input cannot be read", { error });
        context.beginOutage?.("standard input cannot be read");
      });
    },
    async close() {
      closing.abort();
      await running;
      holdProcess(source, "unref");
    },
  };
}

/** A terminal or a pipe that is read keeps the process alive, also when nobody waits for its next line any more. */
function holdProcess(
  source: Readable & Partial<Record<"ref" | "unref", unknown>>,
  how: "ref" | "unref",
): void {
  const change = source[how];
  if (typeof change === "function") change.call(source);
}

/** What is left of a source. */
interface SharedLines {
  /** The first line that nobody took; the same until somebody does. Rejects when the source cannot be read. */
  peek(): Promise<IteratorResult<Uint8Array, unknown>>;
  /** Passes over that line. */
  take(): void;
}

/** By their source, as a stream that starts again makes new inputs. */
const known = /* @__PURE__ */ new WeakMap<Readable, SharedLines>();

/** What is left of `source`, which the first call begins to read. */
function sharedLines(source: Readable, options: LineReaderOptions): SharedLines {
  const shared = known.get(source) ?? share(source, options);
  known.set(source, shared);
  return shared;
}

function share(source: Readable, options: LineReaderOptions): SharedLines {
  const lines = readLines(source, options);
  let next: Promise<IteratorResult<Uint8Array, unknown>> | undefined;
  return {
    peek() {
      next ??= lines.next();
      return next;
    },
    take() {
      next = undefined;
    },
  };
}
