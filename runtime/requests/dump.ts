// Logs requests and their responses, to help authors of documents find mistakes.

import type { IncomingHttpHeaders } from "node:http";
import type { Logger } from "../process/log.ts";
import type { OutgoingRequest } from "./request.ts";

/** A log level as documents name it; empty to log nothing. */
export type DumpLevel = "" | "TRACE" | "DEBUG" | "INFO" | "WARN" | "ERROR" | "FATAL";

/** Logs requests and their responses. */
export interface Dump {
  sent(request: OutgoingRequest, log: Logger): void;
  received(status: number, headers: IncomingHttpHeaders, log: Logger): void;
  /** Logs the body of a response, if it is read as a whole. */
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

/** The most bytes of a body that are logged: enough to recognise a mistake. */
const mostBytes = 4096;

/** Matches the names of headers and parameters whose values grant access. */
export const secretNames: RegExp =
  /auth|cookie|token|secret|signature|password|passwd|credential|session|key$|^sig$|^code$/i;

/** Headers that contain an address, which may repeat the query of a request. */
const addresses: ReadonlySet<string> = new Set([
  "location",
  "content-location",
  "referer",
  "link",
  "refresh",
]);

/** Returns `undefined` if nothing is to be logged. Credentials are never logged, whatever the level. */
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

/** Removes users, passwords, queries and fragments; the header may contain several addresses, or an invalid one. */
function redactAddress(text: string): string {
  const [path = "", ...others] = text.split(/[?#]/);
  const shown = path.replaceAll(/\/\/[^/@]*@/g, `//${redacted}@`);
  return others.length === 0 ? shown : `${shown}?${redacted}`;
}

function excerpt(bytes: Uint8Array): { readonly body: string; readonly bytes: number } {
  return { body: Buffer.from(bytes.subarray(0, mostBytes)).toString(), bytes: bytes.byteLength };
}
