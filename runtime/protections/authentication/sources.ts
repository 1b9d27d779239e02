// Where in a request credentials are, and taking them from there.

import type { IncomingMessage } from "node:http";
import { GatewayError } from "../../errors.ts";
import type { Call } from "../../http/call.ts";
import { headerValues, rewriteHeader, takeParameter } from "../../http/request-fields.ts";

/** The names under which a credential may come; what is absent is not looked at. */
export interface CredentialSources {
  /** A header. WebSocket clients, which in browsers cannot set headers, may send `bearer.CREDENTIAL` as a protocol. */
  readonly header?: string;
  readonly query?: string;
  readonly cookie?: string;
}

/** The names that are there, of a scheme that has more options than these. */
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

/** How a protocol of `Sec-WebSocket-Protocol` begins that is a credential. */
const protocolPrefix = "bearer.";
const protocolHeader = "sec-websocket-protocol";

/**
 * The credential of a request, from the first place that has one: header, protocol of a socket, query, cookie.
 * `undefined` where none has; an error where one place has several, of which others might read another one.
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

/** `undefined` for what is not there, or empty. */
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

/** Takes what is at `sources` off a request, so that nothing behind authentication sees it. */
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

/** The list without the items that are credentials; `undefined` where nothing is left of it. */
function without(value: string, separator: string, isTaken: (item: string) => boolean): string | undefined {
  const items = value.split(separator).map((item) => item.trim());
  const left = items.filter((item) => !isTaken(item));
  if (left.length === items.length) return value;
  return left.length === 0 ? undefined : left.join(`${separator} `);
}

const bearerPattern = /^bearer +/i;

/** The token of a request; `undefined` where none of these places has one, or only one of another scheme. */
export function readBearer(call: Call, sources: CredentialSources): string | undefined | GatewayError {
  const credential = readCredential(call, sources);
  if (credential === undefined || credential instanceof GatewayError) return credential;
  const token = credential.replace(bearerPattern, "");
  // `Basic …` and the like are for other schemes, which only that header is shared with.
  return isShared(sources) && token.includes(" ") ? undefined : token;
}

function isShared({ header }: CredentialSources): boolean {
  return header?.toLowerCase() === "authorization";
}
