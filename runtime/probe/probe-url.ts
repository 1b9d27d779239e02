// Checks addresses in the form of URLs, for HTTP and WebSocket clients.

import { type TlsBlock, type TlsOptions, tlsOptions } from "../process/tls.ts";
import { type Computed, isFixed, type ProbedText, type Probing } from "./probe.ts";
import { type ProbedAddress, probeAddresses } from "./probe-address.ts";

/** The options of these clients that the probe reads. */
export interface UrlOptions {
  readonly url: ProbedText;
  readonly tls?: TlsBlock;
  readonly proxy_url?: ProbedText;
  readonly oauth2?: { readonly enabled?: boolean; readonly token_url?: ProbedText };
}

/**
 * Connects to the address, with TLS if it is encrypted, and sends no request, whose effect would be unknown. With a
 * proxy, checks only the proxy.
 */
export async function probeUrl(options: UrlOptions, probing: Probing): Promise<void> {
  if (probing.isComputed(options, "tls")) return;
  const { url, proxy_url: proxy = "", oauth2 } = options;
  const tls = tlsOptions(options.tls);
  const issuer = oauth2?.enabled === true ? [oauth2.token_url ?? ""] : [];
  const wanted = proxy === "" ? [url, ...issuer] : [proxy];
  const known: ProbedAddress[] = [];
  for (const each of wanted) {
    const address = addressOf(each, tls);
    if (address === undefined) probing.skip("address", "it is computed from each message");
    else known.push(address);
  }
  await probeAddresses(known, probing);
  if (proxy !== "") probing.skip("address behind the proxy", "the proxy would have to be contacted");
  probing.skip("request", "a request could have effects");
}

const kinds: Readonly<Record<string, { readonly port: number; readonly isEncrypted: boolean }>> = {
  "http:": { port: 80, isEncrypted: false },
  "ws:": { port: 80, isEncrypted: false },
  "https:": { port: 443, isEncrypted: true },
  "wss:": { port: 443, isEncrypted: true },
};

/** Returns the address to check; `undefined` if it depends on the message. */
function addressOf(text: ProbedText, tls: TlsOptions | undefined): ProbedAddress | undefined {
  const written = isFixed(text) ? text : fixedOrigin(text);
  // With a `tls` block, WebSockets are always encrypted, on the port of the address.
  const url = URL.parse(tls === undefined ? written : written.replace(/^ws:/i, "wss:"));
  const kind = url === null ? undefined : kinds[url.protocol];
  if (url === null || kind === undefined) return undefined;
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || kind.port),
    ...(kind.isEncrypted && { tls: tls ?? { rejectUnauthorized: true } }),
  };
}

/** Returns `https://host:1/` for `https://host:1/orders/`; without a slash after it, the port might be incomplete. */
function fixedOrigin({ computed }: Computed): string {
  return /^[a-z]+:\/\/[^/?#]+[/?#]/i.exec(computed)?.[0] ?? "";
}
