// Runs `sluice key hash`: hashes the keys and passwords that documents store as hashes. They are read from standard
// input or a prompt, never from an argument, which shell histories and process lists record.

import * as crypto from "node:crypto";
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { hashKey, hashPassword } from "../../embed/key-hashes.ts";

/** Options of `sluice key hash`. */
export interface KeyHashOptions {
  /** Whether to generate a secret, which is also printed. */
  readonly new?: boolean;
  /** Whether the secret is a password, which needs a slow hash because it can be guessed. */
  readonly password?: boolean;
}

/** Bytes of a new key: too many to guess. */
const keyBytes = 32;

/** Prints the hash, or a new secret and its hash. Returns the exit code. */
export async function runKeyHash({ new: isNew = false, password = false }: KeyHashOptions): Promise<number> {
  const kind = password ? "password" : "key";
  if (password && !canHashPasswords()) {
    process.stderr.write(
      `sluice: hashes of passwords need Node 24.7 or newer, and this is ${process.version}\n`,
    );
    return 1;
  }
  const secret = isNew ? crypto.randomBytes(keyBytes).toString("base64url") : await readSecret(kind);
  if (secret === undefined) return 1;
  const problem = faultOf(secret, kind);
  if (problem !== undefined) {
    process.stderr.write(`sluice: ${problem}\n`);
    return 1;
  }
  const hash = await (password ? hashPassword(secret) : hashKey(secret));
  process.stdout.write(isNew ? `${kind}: ${secret}\nhash: ${hash}\n` : `${hash}\n`);
  return 0;
}

/** Whether this version of Node has argon2. */
function canHashPasswords(): boolean {
  return "argon2" in crypto;
}

/** Reads the secret, without its line break; returns `undefined` if the prompt was cancelled. */
async function readSecret(kind: string): Promise<string | undefined> {
  if (process.stdin.isTTY === true)
    return askHidden(`The ${kind} (not shown): `, process.stdin, process.stderr);
  return (await text(process.stdin)).replace(/\r?\n$/, "");
}

/** Returns why callers could not send the secret, or why the gateway could not read it; `undefined` if it is valid. */
function faultOf(secret: string, kind: string): string | undefined {
  if (secret === "") return `the ${kind} is empty`;
  if (/[\r\n]/.test(secret)) return `a ${kind} must be a single line`;
  if (kind === "key" && secret !== secret.trim()) return "a key must not start or end with a space";
  return undefined;
}

/** Asks a question at a terminal and reads a line without showing it. Resolves with `undefined` if the user cancels. */
function askHidden(
  question: string,
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
): Promise<string | undefined> {
  // readline would echo the typed text here.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  output.write(question);
  return new Promise((resolve) => {
    const end = (line: string | undefined) => {
      output.write("\n");
      resolve(line);
      lines.close();
    };
    lines.once("line", end);
    lines.once("SIGINT", () => end(undefined));
    lines.once("close", () => resolve(undefined));
  });
}
