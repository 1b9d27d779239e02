// The server behind an API, and how it is spoken to.

import { type ClientRequest, request as plainRequest, type RequestOptions } from "node:http";
import { request as encryptedRequest } from "node:https";
import { isIP } from "node:net";
import type { Call, ServedApi } from "../http/call.ts";
import { dropSegments, printPath, withoutSegment } from "../http/request-path.ts";
import type { FoundApi } from "../http/router.ts";
import type { Connections } from "../requests/connections.ts";
import type { ProxyServer } from "../requests/proxy.ts";

/** Times in milliseconds, 0 for none. */
export interface Timeouts {
  /** For a connection, and as much again for its TLS handshake. */
  readonly connect: number;
  /** From the end of the request to the head of the answer. */
  readonly response: number;
  /**
   * In which no byte comes or is taken while body is passed on. `undefined`: the document sets none, so that event streams
   * and sockets, which may well be silent, have none.
   */
  readonly idle: number | undefined;
}

/** An upstream that requests can be made to. */
export interface ProxyTarget {
  /** Its path ends without a slash: `https://orders.internal:8443/base`. */
  readonly url: URL;
  /** Its host, with the port where that is not the usual one. */
  readonly host: string;
  /** Its path without a slash at the end. */
  readonly basePath: string;
  /** Of a request to it, what is the same for all. */
  readonly shared: RequestOptions;
  /** Whether paths go on with the listen path in front. */
  readonly keepsListenPath: boolean;
  /** Whether it gets the host name that the client asked for, instead of its own. */
  readonly keepsHost: boolean;
  /** Fields, in lower case, that name another request than the gateway has judged and go on all the same. */
  readonly allowedOverrides: ReadonlySet<string>;
  readonly timeouts: Timeouts;
  /** In between, where there is one. */
  readonly proxy: ProxyServer | undefined;
  readonly connections: Connections;
}

/** What all requests to the server at `url` share; those that are not encrypted go by `proxy`, where there is one. */
export function sharedOptions(
  url: URL,
  proxy: ProxyServer | undefined,
  connections: Connections,
): RequestOptions {
  const isEncrypted = url.protocol === "https:";
  const { hostname, port } = (isEncrypted ? undefined : proxy?.url) ?? url;
  const host = hostname.replace(/^\[|\]$/g, "");
  return {
    host,
    port: port || (isEncrypted ? 443 : 80),
    // The name that the certificate must have, whatever the `Host` header says.
    ...(isEncrypted && { servername: isIP(host) === 0 ? host : "" }),
    agent: connections.agentFor(url.protocol),
  };
}

/** A request to the upstream that is not sent yet; `headers` are flat, as in `rawHeaders`. */
export function openRequest(
  { url, proxy, shared }: ProxyTarget,
  { verb: method }: Call,
  path: string,
  headers: readonly string[],
): ClientRequest {
  if (url.protocol === "https:") return encryptedRequest({ ...shared, method, path, headers });
  if (proxy === undefined) return plainRequest({ ...shared, method, path, headers });
  // A proxy gets the whole address of an unencrypted request (RFC 9112, section 3.2.2).
  const { authorization } = proxy;
  const credentials = authorization === undefined ? [] : ["Proxy-Authorization", authorization];
  const whole = `${url.origin}${path}`;
  return plainRequest({ ...shared, method, path: whole, headers: [...headers, ...credentials] });
}

/** Where a request goes: the upstream's own path, that of the request, and the query, all as they were written. */
export function pathAt(
  { basePath, keepsListenPath }: ProxyTarget,
  call: Call,
  found: FoundApi<ServedApi>,
): string {
  const { mount, version } = found;
  const whole = version?.isCutOff === true ? withoutSegment(call.path, mount.depth) : call.path;
  const path = printPath(keepsListenPath ? whole : dropSegments(whole, mount.depth));
  return `${basePath}${path}${call.query}`;
}
