import { isIP } from "node:net";
import rhea, { type ConnectionOptions } from "rhea";
import { type AmqpBroker, parseAmqpAddresses } from "../../component/amqp-addresses.ts";
import { type TlsBlock, tlsOptions, withTls } from "../../process/tls.ts";
import type { AmqpSasl } from "./generated/input-options.ts";
import { largestFrame } from "./inbound-limits.ts";

/** The addresses of the broker, and how to connect to it, as documents have them. */
export interface Amqp1Address {
  readonly urls: readonly string[];
  readonly tls?: TlsBlock;
  readonly sasl?: AmqpSasl;
}

/** The idle timeout in milliseconds: the peer sends a heartbeat at least that often; after twice that, it counts as gone. */
const idleTime = 10_000;

/** Returns the client options for each of the brokers, in the order in which they are tried. */
export function targetsOf({ urls, tls, sasl = {} }: Amqp1Address): readonly ConnectionOptions[] {
  const encryption = tlsOptions(tls);
  return parseAmqpAddresses(urls).map((broker) => {
    const { hostname, port, protocol } = broker.url;
    const isEncrypted = encryption !== undefined || protocol === "amqps:";
    const mechanisms = mechanismsOf(sasl, broker.login);
    const host = hostname.replace(/^\[|\]$/g, "");
    const options = {
      host,
      // Empty for an IP address: the client would send it as server name, which TLS does not allow.
      servername: isIP(host) === 0 ? host : "",
      port: port === "" ? (isEncrypted ? 5671 : 5672) : Number(port),
      transport: isEncrypted ? "tls" : "tcp",
      ...(mechanisms !== undefined && { sasl_mechanisms: mechanisms }),
      // Without a user, the certificate identifies the client.
      enable_sasl_external: encryption?.cert !== undefined && mechanisms === undefined,
      idle_time_out: idleTime,
      max_frame_size: largestFrame,
      reconnect: false,
    };
    // The types of the client do not include the options of `tls.connect`, which the client accepts.
    return withTls(options, encryption) as ConnectionOptions;
  });
}

/** Returns the login mechanisms; `undefined` for none. The document overrides the address. */
function mechanismsOf({ mechanism = "none", user, password }: AmqpSasl, login: AmqpBroker["login"]): unknown {
  const mechanisms = rhea.sasl.client_mechanisms();
  if (mechanism === "anonymous") mechanisms.enable_anonymous("sluice");
  else if (mechanism === "plain")
    mechanisms.enable_plain(user || (login?.user ?? ""), password || (login?.password ?? ""));
  else if (login !== undefined) mechanisms.enable_plain(login.user, login.password);
  else return undefined;
  return mechanisms;
}
