import type { Writable } from "node:stream";
import type { Output } from "../../component/component.ts";
import { GatewayError } from "../../errors.ts";
import { endOfMessage } from "../../message/lines.ts";
import { type StdoutOutputOptions, stdoutOutputDefaults } from "./generated/output-options.ts";

/** Writes messages to standard output. A write resolves once the system has accepted them. */
export function stdoutOutput(options: StdoutOutputOptions, target: Writable = process.stdout): Output {
  const { codec } = { ...stdoutOutputDefaults, ...options };
  const ending = Buffer.from(endOfMessage(codec));
  let last: Promise<unknown> = Promise.resolve();
  return {
    async start() {},
    async write(batch) {
      const text = Buffer.concat(batch.flatMap((message) => [message.bytes(), ending]));
      const written = last.then(() => writeTo(target, text));
      last = written.catch(() => undefined); // the failure is reported to the writer; the next write has its own turn
      await written;
      return {};
    },
    async close() {
      await last;
    },
  };
}

function writeTo(target: Writable, text: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    target.write(text, (error) => {
      if (error) reject(new GatewayError(502, "Standard output is closed", { cause: error }));
      else resolve();
    });
  });
}
