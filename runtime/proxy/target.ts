// The server behind an API, and how requests are sent to it.

import { type ClientRequest, request as plainRequest, type RequestOptions } from "node:http";
import { request as encryptedRequest } from "node:https";
import { isIP } from "node:net";
import type { Call, ServedApi } from "../http/call.ts";
import { dropSegments, printPath, withoutSegment } from "../http/request-path.ts";
import type { FoundApi } from "../http/router.ts";
import type { Connections } from "../requests/connections.ts";
import type { ProxyServer } from "../requests/proxy.ts";

/** Timeouts in milliseconds; 0 for none. */
export interface Timeouts {
  /** The time to connect, and as much again for the TLS handshake. */
  readonly connect: number;
  /** The time from the end of the request to the head of the response. */
  readonly response: number;
  /**
   * The time without progress in either direction while a body is passed on. `undefined`: the document sets none, so
   * event streams and sockets, which may be silent, have no limit.
   */
  readonly idle: number | undefined;
}

/** An upstream that can receive requests. */
export interface ProxyTarget {
  /** The URL, without a slash at the end of its path: `https://orders.internal:8443/base`. */
  readonly url: URL;
  /** The host, with the port unless it is the default. */
  readonly host: string;
  /** The path of the URL, without a slash at the end. */
  readonly basePath: string;
  /** The options that all requests share. */
  readonly shared: RequestOptions;
  /** Whether the listen path stays in front of the paths of requests. */
  readonly keepsListenPath: boolean;
  /** Whether the upstream gets the host name of the request instead of its own. */
  readonly keepsHost: boolean;
  /** Fields, in lower case, that override parts of the request and are passed on nevertheless. */
  readonly allowedOverrides: ReadonlySet<string>;
  readonly timeouts: Timeouts;
  /** The HTTP proxy between gateway and upstream, if there is one. */
  readonly proxy: ProxyServer | undefined;
  readonly connections: Connections;
}

/** Returns the options of all requests to `url`; unencrypted requests go through `proxy`, if there is one. */
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
    // The name that the certificate must have, independent of the `Host` header.
    ...(isEncrypted && { servername: isIP(host) === 0 ? host : "" }),
    agent: connections.agentFor(url.protocol),
  };
}

/** Creates a request to the upstream without sending it; `headers` are flat, as in `rawHeaders`. */
export function openRequest(
  { url, proxy, shared }: ProxyTarget,
  { verb: method }: Call,
  path: string,
  headers: readonly string[],
): ClientRequest {
  if (url.protocol === "https:") return encryptedRequest({ ...shared, method, path, headers });
  if (proxy === undefined) return plainRequest({ ...shared, method, path, headers });
  // A proxy gets the absolute URL of an unencrypted request (RFC 9112, section 3.2.2).
  const { authorization } = proxy;
  const credentials = authorization === undefined ? [] : ["Proxy-Authorization", authorization];
  const whole = `${url.origin}${path}`;
  return plainRequest({ ...shared, method, path: whole, headers: [...headers, ...credentials] });
}

/** Returns the target of a request: the upstream's own path, that of the request, and the query, all unchanged. */
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
