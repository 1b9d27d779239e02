// `sluice key hash`: what documents hold in place of keys and passwords. They come from standard input or a prompt, never
// as an argument, which shells and lists of processes keep.

import * as crypto from "node:crypto";
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { hashKey, hashPassword } from "../../embed/key-hashes.ts";

/** What `sluice key hash` was told. */
export interface KeyHashOptions {
  /** Makes a secret, which is printed too. */
  readonly new?: boolean;
  /** It is a password, of which people know some and machines try many. */
  readonly password?: boolean;
}

/** Bytes of a new key: too many to guess. */
const keyBytes = 32;

/** Prints the hash, or the new secret and its hash. Gives the exit code. */
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

/** Whether this Node has argon2. */
function canHashPasswords(): boolean {
  return "argon2" in crypto;
}

/** Without its line break; `undefined` where the prompt was cancelled. */
async function readSecret(kind: string): Promise<string | undefined> {
  if (process.stdin.isTTY === true)
    return askHidden(`The ${kind} (not shown): `, process.stdin, process.stderr);
  return (await text(process.stdin)).replace(/\r?\n$/, "");
}

/** What callers could not send, or the gateway not read. */
function faultOf(secret: string, kind: string): string | undefined {
  if (secret === "") return `the ${kind} is empty`;
  if (/[\r\n]/.test(secret)) return `a ${kind} must be a single line`;
  if (kind === "key" && secret !== secret.trim()) return "a key must not start or end with a space";
  return undefined;
}

/** Asks a question at a terminal and reads a line without showing it; `undefined` when it was ended instead. */
function askHidden(
  question: string,
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
): Promise<string | undefined> {
  // What is typed would be written here.
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
