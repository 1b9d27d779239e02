// What a request gives to the variables of streams.

import type { IncomingMessage } from "node:http";
import { headersWithId } from "../../http/request-origin.ts";
import type { Caller } from "../../keys/session.ts";
import { fieldText } from "../../text/utf8.ts";

/** What variables are read from. */
export interface RequestSource {
  readonly request: IncomingMessage;
  readonly url: URL;
  /** Path parameters, percent-decoded. */
  readonly params: ReadonlyMap<string, string>;
  readonly remoteAddress: string;
  /** Present once the caller is authenticated. */
  readonly caller?: Caller | undefined;
}

/** Readers by the beginning of the name, given what follows it. */
const families: Readonly<Record<string, (source: RequestSource, name: string) => string | undefined>> = {
  "context.headers_": ({ request }, name) => headerOf(request, name),
  "context.cookies_": ({ request }, name) => cookieOf(request, name),
  "context.request_data_": ({ url }, name) => url.searchParams.get(name) ?? undefined,
  "context.path_params_": ({ params }, name) => params.get(name),
  "context.jwt_claims_": ({ caller }, name) => caller?.claims?.get(name),
  "meta.": ({ caller }, name) => caller?.metadata?.get(name),
};

const single: Readonly<Record<string, (source: RequestSource) => string | undefined>> = {
  "context.path": ({ url }) => url.pathname,
  "context.path_parts": ({ url }) => url.pathname.split("/").filter(Boolean).join(","),
  "context.remote_addr": ({ remoteAddress }) => remoteAddress,
  "context.request_data": ({ url }) => url.search.slice(1),
  "context.request_id": ({ request }) => headerOf(request, "x_request_id"),
  "context.token": ({ caller }) => caller?.token,
  "context.trace_id": ({ request }) => headerOf(request, "traceparent")?.split("-")[1],
};

/** The value of a variable; `undefined` where the request has none. Values are not escaped: they stay values. */
export function readRequestVariable(name: string, source: RequestSource): string | undefined {
  if (Object.hasOwn(single, name)) return single[name]?.(source);
  const family = Object.keys(families).find((start) => name.startsWith(start));
  return family === undefined ? undefined : families[family]?.(source, name.slice(family.length));
}

/**
 * `X_Tenant_Id` names the header `X-Tenant-Id`: variables cannot hold every character that headers can. One that is spelled
 * with `_` counts only where that is missing, so that a client cannot put it beside the header that a proxy has set.
 */
function headerOf(request: IncomingMessage, name: string): string | undefined {
  const { headers } = headersWithId(request);
  const wanted = asHeader(name);
  const spelled = headers[wanted] === undefined ? findSpelling(headers, wanted) : wanted;
  const value = spelled === undefined ? undefined : headers[spelled];
  const first = Array.isArray(value) ? value[0] : value;
  return first === undefined ? undefined : fieldText(first);
}

function findSpelling(headers: IncomingMessage["headers"], wanted: string): string | undefined {
  return Object.keys(headers).find((header) => headers[header] !== undefined && asHeader(header) === wanted);
}

function cookieOf({ headers }: IncomingMessage, name: string): string | undefined {
  for (const pair of fieldText(headers.cookie ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at !== -1 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

function asHeader(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}
