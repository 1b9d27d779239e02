import { GatewayError } from "../../errors.ts";
import type { Child } from "./child.ts";

/** Writes to the standard input of a program. Resolves once the system has taken it; rejects with 502 where the program has ended. */
export function writeTo({ process, exited }: Child, content: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    exited.catch(reject);
    process.stdin.write(content, (error) => {
      if (error) reject(new GatewayError(502, "The command does not read any more", { cause: error }));
      else resolve();
    });
  });
}
