import type { Readable } from "node:stream";
import type { Input, InputContext } from "../../component/component.ts";
import { createRedelivery } from "../../component/redelivery.ts";
import type { Scanner } from "../../component/scanner.ts";
import type { Message } from "../../message/message.ts";
import { linesScanner } from "../../scanners/lines.ts";
import { type StdinInputOptions, stdinInputDefaults } from "./generated/input-options.ts";

/**
 * Reads the messages of standard input, by default its lines; the next one is taken once the one before it is confirmed. What an input has read
 * and not delivered when it closes is there for the next one of this process; it is lost when the process ends.
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

/** A terminal or a pipe that is read keeps the process alive, also when its next line is not awaited any more. */
function holdProcess(
  source: Readable & Partial<Record<"ref" | "unref", unknown>>,
  how: "ref" | "unref",
): void {
  const change = source[how];
  if (typeof change === "function") change.call(source);
}

/** What is left of a source. */
interface SharedPieces {
  /** The first message that was not taken; the same until it is. Rejects when the source cannot be read. */
  peek(): Promise<IteratorResult<Message, unknown>>;
  /** Passes over that message. */
  take(): void;
}

/** By their source, as a stream that starts again makes new inputs. */
const known = /* @__PURE__ */ new WeakMap<Readable, SharedPieces>();

/** What is left of `source`, which the first call begins to read. */
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
