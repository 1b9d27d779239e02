// Finds credentials in a request, and removes them.

import type { IncomingMessage } from "node:http";
import { GatewayError } from "../../errors.ts";
import type { Call } from "../../http/call.ts";
import { headerValues, rewriteHeader, takeParameter } from "../../http/request-fields.ts";

/** The names under which a credential may come; absent places are ignored. */
export interface CredentialSources {
  /** A header. Browsers cannot set it for WebSockets: they may send `bearer.CREDENTIAL` as a protocol instead. */
  readonly header?: string;
  readonly query?: string;
  readonly cookie?: string;
}

/** Returns only the names that are set, from options that may contain more. */
export function given({
  header,
  query,
  cookie,
}: Partial<Record<keyof CredentialSources, string | undefined>>) {
  return {
    ...(header !== undefined && { header }),
    ...(query !== undefined && { query }),
    ...(cookie !== undefined && { cookie }),
  } satisfies CredentialSources;
}

/** The prefix of a protocol in `Sec-WebSocket-Protocol` that is a credential. */
const protocolPrefix = "bearer.";
const protocolHeader = "sec-websocket-protocol";

/**
 * Returns the credential of a request from the first place that has one: header, protocol of a WebSocket, query,
 * cookie. Returns `undefined` if there is none, and an error if one place has several: other readers might use
 * another one.
 */
export function readCredential(call: Call, sources: CredentialSources): string | undefined | GatewayError {
  const { header, query, cookie } = sources;
  return (
    (header !== undefined ? only(headerValues(call.request, header)) : undefined) ??
    (header !== undefined && call.transport.kind === "websocket"
      ? only(protocolsOf(call.request))
      : undefined) ??
    (query !== undefined && call.query !== "" ? only(call.url.searchParams.getAll(query)) : undefined) ??
    (cookie !== undefined ? only(cookieValues(call.request, cookie)) : undefined)
  );
}

/** Returns the only value; `undefined` if it is missing or empty. */
function only(values: readonly string[]): string | undefined | GatewayError {
  if (values.length > 1)
    return new GatewayError(400, "Credential given more than once", { reason: "credential_twice" });
  return values[0]?.trim() || undefined;
}

function protocolsOf(request: IncomingMessage): readonly string[] {
  return headerValues(request, protocolHeader)
    .flatMap((value) => value.split(","))
    .flatMap((item) =>
      item.trim().startsWith(protocolPrefix) ? [item.trim().slice(protocolPrefix.length)] : [],
    );
}

function cookieValues(request: IncomingMessage, name: string): readonly string[] {
  return headerValues(request, "cookie")
    .flatMap((value) => value.split(";"))
    .flatMap((pair) => {
      const at = pair.indexOf("=");
      return at !== -1 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
    });
}

/** Removes the credentials at `sources` from a request, so that code behind authentication does not see them. */
export function takeCredentials(call: Call, { header, query, cookie }: CredentialSources): void {
  const { request } = call;
  if (header !== undefined) {
    rewriteHeader(request, header, () => undefined);
    rewriteHeader(request, protocolHeader, (value) =>
      without(value, ",", (item) => item.startsWith(protocolPrefix)),
    );
  }
  if (cookie !== undefined) {
    rewriteHeader(request, "cookie", (value) =>
      without(value, ";", (pair) => pair.split("=", 1)[0]?.trim() === cookie),
    );
  }
  if (query !== undefined) takeParameter(call, query);
}

/** Returns the list without the items that are credentials; `undefined` if nothing is left. */
function without(value: string, separator: string, isTaken: (item: string) => boolean): string | undefined {
  const items = value.split(separator).map((item) => item.trim());
  const left = items.filter((item) => !isTaken(item));
  if (left.length === items.length) return value;
  return left.length === 0 ? undefined : left.join(`${separator} `);
}

const bearerPattern = /^bearer +/i;

/** Returns the token of a request; `undefined` if no place has one, or only one of another scheme. */
export function readBearer(call: Call, sources: CredentialSources): string | undefined | GatewayError {
  const credential = readCredential(call, sources);
  if (credential === undefined || credential instanceof GatewayError) return credential;
  const token = credential.replace(bearerPattern, "");
  // `Authorization` is shared with other schemes, such as `Basic …`.
  return isShared(sources) && token.includes(" ") ? undefined : token;
}

function isShared({ header }: CredentialSources): boolean {
  return header?.toLowerCase() === "authorization";
}
