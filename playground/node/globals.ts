// Globals of Node that browsers lack. esbuild injects them where they are used.

import { Buffer as BrowserBuffer } from "buffer/index.js";

/** The package supports every encoding except `base64url`. */
const fromBase = BrowserBuffer.from as (value: unknown, ...rest: unknown[]) => BrowserBuffer;
BrowserBuffer.from = ((value: unknown, encoding?: unknown, ...rest: unknown[]) =>
  encoding === "base64url"
    ? fromBase(value, "base64")
    : fromBase(value, encoding, ...rest)) as typeof BrowserBuffer.from;

const toText = BrowserBuffer.prototype.toString;
BrowserBuffer.prototype.toString = function (
  this: BrowserBuffer,
  encoding?: string,
  start?: number,
  end?: number,
) {
  if (encoding !== "base64url") return toText.call(this, encoding as BufferEncoding | undefined, start, end);
  const text = toText.call(this, "base64", start, end);
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
};

export { BrowserBuffer as Buffer };

/** A process in the folder `/` with an empty environment. */
export const process = {
  env: {} as Record<string, string | undefined>,
  argv: [] as string[],
  platform: "linux",
  version: "v24.0.0",
  versions: { node: "24.0.0" },
  cwd: () => "/",
  on: () => process,
  hrtime: Object.assign(() => [0, 0], { bigint: () => BigInt(Math.round(performance.now() * 1e6)) }),
  nextTick: (work: (...args: unknown[]) => void, ...args: unknown[]) => queueMicrotask(() => work(...args)),
};
