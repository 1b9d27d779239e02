import type { ComponentContext, Output } from "../../component/component.ts";
import { notConnected } from "../../component/persistence.ts";
import { settlesWithin } from "../../concurrency/promises.ts";
import { type Child, describeExit, logErrors, startProgram, writeTo } from "./child.ts";
import { frame } from "./framing.ts";
import type { SubprocessOutputOptions } from "./generated/output-options.ts";

/** Milliseconds that a program has to end after its standard input is closed. */
const endTime = 5_000;

/**
 * Writes each message as a line to a program. A write resolves once the system has accepted it, because programs
 * confirm nothing. The next write restarts a program that has ended.
 */
export function subprocessOutput(options: SubprocessOutputOptions): Output {
  let context: ComponentContext | undefined;
  let child: Child | undefined;
  let last: Promise<unknown> = Promise.resolve();

  function open({ log }: ComponentContext): Child {
    const opened = startProgram(options);
    logErrors(opened, log);
    opened.process.stdout.resume();
    opened.exited.then(
      (exit) => {
        if (child !== opened) return;
        child = undefined;
        log.warn("command ended", { exit: describeExit(exit) });
      },
      (error: unknown) => {
        if (child === opened) child = undefined;
        log.warn("command cannot be started", { error });
      },
    );
    return opened;
  }

  return {
    async start(given) {
      context = given;
      child = open(given);
    },
    async write(batch) {
      if (context === undefined) throw notConnected();
      const given = context;
      const content = Buffer.concat(batch.map((message) => frame(message.bytes(), "lines")));
      const written = last.then(() => {
        child ??= open(given);
        return writeTo(child, content);
      });
      last = written.catch(() => undefined); // the failure is reported to the writer; the next write has its own turn
      await written;
      return {};
    },
    async close() {
      await last;
      const open = child;
      child = undefined;
      if (open === undefined) return;
      open.process.stdin.end();
      await settlesWithin(
        open.exited.catch(() => undefined),
        endTime,
      );
      open.kill();
    },
  };
}
