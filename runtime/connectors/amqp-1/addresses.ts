import { isIP } from "node:net";
import rhea, { type ConnectionOptions } from "rhea";
import { type AmqpBroker, parseAmqpAddresses } from "../../component/amqp-addresses.ts";
import { type TlsBlock, tlsOptions, withTls } from "../../process/tls.ts";
import type { AmqpSasl } from "./generated/input-options.ts";
import { largestFrame } from "./inbound-limits.ts";

/** How documents say where the broker is and how to reach it. */
export interface Amqp1Address {
  readonly urls: readonly string[];
  readonly tls?: TlsBlock;
  readonly sasl?: AmqpSasl;
}

/** Milliseconds of silence after which either side is asked for a sign; twice that, it counts as gone. */
const idleTime = 10_000;

/** How to connect to each of the brokers, in the order they are tried, in the client's own words. */
export function targetsOf({ urls, tls, sasl = {} }: Amqp1Address): readonly ConnectionOptions[] {
  const encryption = tlsOptions(tls);
  return parseAmqpAddresses(urls).map((broker) => {
    const { hostname, port, protocol } = broker.url;
    const isEncrypted = encryption !== undefined || protocol === "amqps:";
    const mechanisms = mechanismsOf(sasl, broker.login);
    const host = hostname.replace(/^\[|\]$/g, "");
    const options = {
      host,
      // The client would name an IP address as the server's, which TLS has no place for.
      servername: isIP(host) === 0 ? host : "",
      port: port === "" ? (isEncrypted ? 5671 : 5672) : Number(port),
      transport: isEncrypted ? "tls" : "tcp",
      ...(mechanisms !== undefined && { sasl_mechanisms: mechanisms }),
      // Without a user, a certificate proves who we are.
      enable_sasl_external: encryption?.cert !== undefined && mechanisms === undefined,
      idle_time_out: idleTime,
      max_frame_size: largestFrame,
      reconnect: false,
    };
    // The client's types do not know that any option of `tls.connect` may stand there.
    return withTls(options, encryption) as ConnectionOptions;
  });
}

/** How we prove who we are; `undefined` for not at all. What the document says wins over the address. */
function mechanismsOf({ mechanism = "none", user, password }: AmqpSasl, login: AmqpBroker["login"]): unknown {
  const mechanisms = rhea.sasl.client_mechanisms();
  if (mechanism === "anonymous") mechanisms.enable_anonymous("sluice");
  else if (mechanism === "plain")
    mechanisms.enable_plain(user || (login?.user ?? ""), password || (login?.password ?? ""));
  else if (login !== undefined) mechanisms.enable_plain(login.user, login.password);
  else return undefined;
  return mechanisms;
}
