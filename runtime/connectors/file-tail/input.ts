import type { Input, InputContext } from "../../component/component.ts";
import { createRedelivery } from "../../component/redelivery.ts";
import { DeliveryWindow } from "../../concurrency/delivery-window.ts";
import { sourceFrom } from "../../conditions/blockage.ts";
import { Message } from "../../message/message.ts";
import { followFile, openFollowed, type TailedLine } from "./follow.ts";
import { type FileTailInputOptions, fileTailInputDefaults } from "./generated/input-options.ts";

/** Bytes of lines under way, unless it is a single one. */
const mostBytes = 16 * 1024 * 1024;

/** Pause before a file that cannot be read is tried again, in milliseconds. */
const retryPause = 1000;

/**
 * Reads the lines of a file that others write, in order, empty ones left out. Lines are handed over while earlier ones are
 * under way, `line_buffer` at most. How far the file was read is not kept, as in the reference engine.
 */
export function fileTailInput(options: FileTailInputOptions): Input {
  const settings = { ...fileTailInputDefaults, ...options };
  const closing = new AbortController();
  const { signal } = closing;
  let running: Promise<void> | undefined;

  async function read(
    context: InputContext,
    from: number,
    window: DeliveryWindow<TailedLine>,
  ): Promise<void> {
    const { poll_interval: pollInterval, max_line_bytes: longest } = settings;
    const following = { pollInterval, retryPause, longest, signal, context };
    for await (const line of followFile(settings.path, from, following)) {
      await window.room();
      if (signal.aborted) return;
      window.take(line, false);
    }
  }

  return {
    async start(given) {
      const context: InputContext = settings.auto_replay_nacks ? given : { ...given, maxAttempts: 1 };
      // Where there is no such file the stream says so, and tries again.
      const from = await beginning(settings.path, settings.start_position === "end");
      const redelivery = createRedelivery(context, sourceFrom({ path: "file_tail_path" }));
      const window = new DeliveryWindow<TailedLine>({
        limit: settings.line_buffer,
        held: 0,
        bytes: mostBytes,
        sizeOf: ({ bytes }) => bytes.length,
        async deliver({ bytes, position }) {
          const metadata = [
            ["file_tail_path", settings.path],
            ["file_tail_position", String(position)],
          ] as const;
          await redelivery.deliver([Message.fromBytes(bytes, new Map(metadata))], signal);
        },
        onDropped: () => undefined, // nothing may be dropped
      });
      running = read(context, from, window)
        .catch((error: unknown) => {
          context.log.error("file cannot be followed", { error });
          context.beginOutage?.("file cannot be followed");
        })
        .then(() => window.idle());
    },
    async close() {
      closing.abort();
      await running;
    },
  };
}

async function beginning(path: string, isEnd: boolean): Promise<number> {
  const file = await openFollowed(path);
  try {
    return isEnd ? (await file.stat()).size : 0;
  } finally {
    await file.close();
  }
}
