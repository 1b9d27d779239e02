import type { Computed, ProbedText, Probing } from "../../probe.ts";
import { addressOfUrl, type ProbedAddress, probeAddresses } from "../../probe-address.ts";
import { type TlsBlock, tlsOptions } from "../../tls.ts";

/** What the probe reads of the options that `http_client` and the `http` processor share. */
export interface HttpProbeOptions {
  readonly url: ProbedText;
  readonly tls?: TlsBlock;
  readonly proxy_url?: string | Computed;
  readonly oauth2?: { readonly enabled?: boolean; readonly token_url?: ProbedText };
}

/**
 * Connects to the address, with TLS where it is encrypted, and sends no request: whatever the verb, nobody knows what
 * a request does there. Behind a proxy only the proxy is tried.
 */
export async function probeHttpClient(options: HttpProbeOptions, probing: Probing): Promise<void> {
  const { url, proxy_url: proxy = "", oauth2 } = options;
  if (probing.isComputed(options, "tls")) return;
  const tls = tlsOptions(options.tls);
  const issuer = oauth2?.enabled === true ? [oauth2.token_url ?? ""] : [];
  const wanted = proxy === "" ? [url, ...issuer] : [proxy];
  const known: ProbedAddress[] = [];
  for (const each of wanted) {
    const address = addressOfUrl(each, tls);
    if (address === undefined) probing.skip("address", "it is computed from each message");
    else known.push(address);
  }
  await probeAddresses(known, probing);
  if (proxy !== "") probing.skip("address behind the proxy", "the proxy would have to be asked");
  probing.skip("request", "a request could have effects");
}
