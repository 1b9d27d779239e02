// Requests and their answers in the log, for authors who look for a mistake.

import type { IncomingHttpHeaders } from "node:http";
import type { Logger } from "../process/log.ts";
import type { OutgoingRequest } from "./request.ts";

/** How a document names a level; empty for none. */
export type DumpLevel = "" | "TRACE" | "DEBUG" | "INFO" | "WARN" | "ERROR" | "FATAL";

/** Writes requests and their answers. */
export interface Dump {
  sent(request: OutgoingRequest, log: Logger): void;
  received(status: number, headers: IncomingHttpHeaders, log: Logger): void;
  /** The body of an answer, where it is read as a whole. */
  body(bytes: Uint8Array, log: Logger): void;
}

const levels = {
  TRACE: "debug",
  DEBUG: "debug",
  INFO: "info",
  WARN: "warn",
  ERROR: "error",
  FATAL: "error",
} as const satisfies Record<Exclude<DumpLevel, "">, keyof Logger>;

/** Of a body, enough to see what is wrong with it. */
const mostBytes = 4096;

/** Words in the names of headers and parameters whose values let others in. */
export const secretNames: RegExp =
  /auth|cookie|token|secret|signature|password|passwd|credential|session|key$|^sig$|^code$/i;

/** Headers that hold an address, which may repeat the query of a request. */
const addresses: ReadonlySet<string> = new Set([
  "location",
  "content-location",
  "referer",
  "link",
  "refresh",
]);

/** `undefined` where nothing is to be written. Credentials never are, whatever the level. */
export function createDump(level: DumpLevel = ""): Dump | undefined {
  if (level === "") return undefined;
  const name = levels[level];
  return {
    sent({ verb, url, headers, body }, log) {
      log[name]("HTTP request", {
        verb,
        url: redactUrl(url),
        headers: redactHeaders(Object.fromEntries(headers)),
        ...(body && excerpt(body)),
      });
    },
    received: (status, headers, log) => log[name]("HTTP reply", { status, headers: redactHeaders(headers) }),
    body: (bytes, log) => log[name]("body of the HTTP reply", excerpt(bytes)),
  };
}

const redacted = "[redacted]";

function redactHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, unknown>> {
  const entries = Object.entries(headers);
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (secretNames.test(name)) return [name, redacted];
      return [name, addresses.has(name) ? redactAddress(String(value)) : value];
    }),
  );
}

function redactUrl(url: URL): string {
  const shown = new URL(url);
  for (const name of new Set(shown.searchParams.keys())) {
    if (secretNames.test(name)) shown.searchParams.set(name, redacted);
  }
  return shown.href;
}

/** Without users, passwords, queries and fragments; such a header may hold several addresses, or none that can be read. */
function redactAddress(text: string): string {
  const [path = "", ...others] = text.split(/[?#]/);
  const shown = path.replaceAll(/\/\/[^/@]*@/g, `//${redacted}@`);
  return others.length === 0 ? shown : `${shown}?${redacted}`;
}

function excerpt(bytes: Uint8Array): { readonly body: string; readonly bytes: number } {
  return { body: Buffer.from(bytes.subarray(0, mostBytes)).toString(), bytes: bytes.byteLength };
}
