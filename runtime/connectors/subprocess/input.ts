import type { Input, InputContext } from "../../component/component.ts";
import { createRedelivery } from "../../component/redelivery.ts";
import { abort } from "../../concurrency/abort.ts";
import { createBackoff, pause } from "../../concurrency/backoff.ts";
import { GatewayError } from "../../errors.ts";
import { readLines } from "../../message/lines.ts";
import { Message } from "../../message/message.ts";
import { type Child, describeExit, logErrors, startProgram } from "./child.ts";
import { type SubprocessInputOptions, subprocessInputDefaults } from "./generated/input-options.ts";

/** Pauses before a program that has ended is started again. */
const pauses = { first: 200, longest: 30_000 };

/**
 * Reads the lines that a program writes, each once the previous one is confirmed. The input ends with the program,
 * unless the program is to be restarted. Programs repeat nothing: a line in progress is lost if the process of the
 * gateway ends.
 */
export function subprocessInput(options: SubprocessInputOptions): Input {
  const { restart_on_exit: restarts, max_buffer } = { ...subprocessInputDefaults, ...options };
  const closing = new AbortController();
  let child: Child | undefined;
  let running: Promise<void> | undefined;

  async function run(context: InputContext, first: Child): Promise<void> {
    const redelivery = createRedelivery(context);
    const backoff = createBackoff(pauses);
    for (let current = first; ; current = startProgram(options)) {
      child = current;
      current.process.stdin.end();
      logErrors(current, context.log);
      for await (const line of readLines(current.process.stdout, { max_buffer_size: max_buffer })) {
        if (closing.signal.aborted) return;
        await redelivery.deliverNext([Message.fromBytes(line)], closing.signal);
        backoff.reset();
      }
      const exit = await current.exited;
      if (closing.signal.aborted) return;
      if (exit.code !== 0) context.log.warn("command ended", { exit: describeExit(exit) });
      if (!restarts) break;
      await pause(backoff.next(), closing.signal);
      if (closing.signal.aborted) return;
    }
    await redelivery.settled();
    context.reportEnd?.();
  }

  return {
    async start(context) {
      const first = startProgram(options);
      await new Promise<void>((resolve, reject) => {
        first.process.once("spawn", resolve);
        first.exited.catch(reject);
      });
      running = run(context, first).catch((error: unknown) => {
        if (closing.signal.aborted) return;
        context.log.error("command cannot be read", { error });
        context.beginOutage?.(error instanceof GatewayError ? error.message : "command cannot be read");
        child?.kill();
      });
    },
    async close() {
      abort(closing);
      child?.kill();
      await running;
    },
  };
}
