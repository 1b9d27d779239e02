// The `upstream` block of an API: forwards requests that match no stream.

import { GatewayError } from "../errors.ts";
import { bodyLimit } from "../http/call.ts";
import type { RunningUpstream, Upstream, UpstreamContext } from "../http/upstream.ts";
import { EnvironmentError } from "../process/environment.ts";
import { type TlsBlock, tlsOptions, withTls } from "../process/tls.ts";
import { completeTransport, createConnections } from "../requests/connections.ts";
import type { ProxyServer } from "../requests/proxy.ts";
import { forward, refusalOf, UpstreamContact } from "./forward.ts";
import { type ProxyTarget, sharedOptions, type Timeouts } from "./target.ts";
import { Tunnels, tunnel } from "./tunnel.ts";

/** The `upstream` block, with the setting of `server.listenPath` that removes the path. Times in milliseconds. */
export interface UpstreamBlock {
  /** Empty if there is no upstream. */
  readonly url: string;
  readonly stripsListenPath?: boolean;
  readonly preserveHostHeader?: { readonly enabled?: boolean };
  readonly allowedOverrideHeaders?: readonly string[];
  readonly timeouts?: { readonly connect?: number; readonly response?: number; readonly idle?: number };
  readonly tls?: TlsBlock;
  readonly tlsTransport?: TlsTransport;
  readonly proxy?: { readonly enabled?: boolean; readonly url?: ProxyServer | undefined };
}

/** TLS settings; versions as `1.2`. */
interface TlsTransport {
  readonly insecureSkipVerify?: boolean;
  readonly minVersion?: string;
  readonly maxVersion?: string;
}

const defaultTimeouts: Timeouts = { connect: 10_000, response: 60_000, idle: undefined };

/** Returns the upstream at `url`; `undefined` if empty. Throws an `EnvironmentError` if paths cannot be added to it. */
export function proxyTo(block: UpstreamBlock): Upstream | undefined {
  if (block.url === "") return undefined;
  const url = readAddress(block.url);
  return { start: (context) => run(targetOf(block, url), context) };
}

function run(target: ProxyTarget, { log, maxBodyBytes }: UpstreamContext): RunningUpstream {
  const tunnels = new Tunnels();
  const contact = new UpstreamContact(log);
  return {
    forward(call) {
      const { transport } = call;
      const forwarding = { target, contact, log, maxBodyBytes: bodyLimit(call, maxBodyBytes) };
      if (transport.kind === "http") {
        return refusalOf(call, forwarding.maxBodyBytes) ?? forward(call, transport.response, forwarding);
      }
      if (tunnels.isLeaving) return new GatewayError(503, "Gateway is closing", { retryAfter: 1 });
      return tunnel(call, transport, forwarding, tunnels);
    },
    stop: (reason) => tunnels.leave(reason),
    close: () => target.connections.close(),
  };
}

function readAddress(text: string): URL {
  const url = URL.parse(text);
  const { protocol = "", username, password, search, hash } = url ?? {};
  if (url === null || !/^https?:$/.test(protocol) || `${username}${password}${search}${hash}` !== "")
    throw new EnvironmentError(["`upstream.url` is not an http address without user, query and fragment"]);
  return url;
}

/** Creates the target and reads certificates; throws a `GatewayError` if they are unusable. */
function targetOf(block: UpstreamBlock, url: URL): ProxyTarget {
  const timeouts = { ...defaultTimeouts, ...block.timeouts };
  const proxy = block.proxy?.enabled === true ? block.proxy.url : undefined;
  const transport = completeTransport({
    dial_context: { timeout: timeouts.connect },
    tls_handshake_timeout: timeouts.connect,
  });
  const connections = createConnections({ tls: encryption(block), proxy, transport });
  return {
    url,
    host: url.host,
    basePath: url.pathname.replace(/\/$/, ""),
    shared: sharedOptions(url, proxy, connections),
    keepsListenPath: block.stripsListenPath === false,
    allowedOverrides: new Set(block.allowedOverrideHeaders?.map((name) => name.toLowerCase())),
    keepsHost: block.preserveHostHeader?.enabled === true,
    timeouts,
    proxy,
    connections,
  };
}

function encryption({ tls, tlsTransport = {} }: UpstreamBlock) {
  const { insecureSkipVerify = false, minVersion, maxVersion } = tlsTransport;
  const own = tlsOptions(tls);
  return Object.assign(withTls({}, own), {
    rejectUnauthorized: own?.rejectUnauthorized !== false && !insecureSkipVerify,
    ...(minVersion !== undefined && { minVersion: versionOf(minVersion) }),
    ...(maxVersion !== undefined && { maxVersion: versionOf(maxVersion) }),
  });
}

/** Converts a version; the schema allows only these two. */
function versionOf(text: string): "TLSv1.2" | "TLSv1.3" {
  return text === "1.2" ? "TLSv1.2" : "TLSv1.3";
}
