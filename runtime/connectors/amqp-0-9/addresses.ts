import { credentials, type SocketOptions } from "amqplib";
import { type AmqpBroker, parseAmqpAddresses } from "../../component/amqp-addresses.ts";
import { type TlsBlock, tlsOptions, withTls } from "../../process/tls.ts";

/** How documents say where the broker is and how to reach it. */
export interface AmqpAddress {
  readonly urls: readonly string[];
  readonly tls?: TlsBlock;
}

/** A broker, and how to connect to it, in the client's own words. */
export interface AmqpTarget {
  readonly url: string;
  readonly options: SocketOptions;
}

/** Seconds of silence after which the broker is asked for a sign; an address may say otherwise (`?heartbeat=30`). */
const heartbeat = 10;

/** Milliseconds that a connection attempt may take. */
const connectLimit = 10_000;

/** The brokers in the order they are tried. Throws a `GatewayError` where an address cannot be read. */
export function targetsOf({ urls, tls }: AmqpAddress): readonly AmqpTarget[] {
  const encryption = tlsOptions(tls);
  return parseAmqpAddresses(urls).map(({ url, login }) => {
    if (encryption !== undefined) url.protocol = "amqps:";
    if (!url.searchParams.has("heartbeat")) url.searchParams.set("heartbeat", String(heartbeat));
    const options: SocketOptions = {
      // The client would take bytes of UTF-8 in an address for letters.
      credentials: credentialsOf(login, encryption?.cert !== undefined),
      timeout: connectLimit,
      noDelay: true,
    };
    return { url: url.href, options: withTls(options, encryption) };
  });
}

/** The user of the connections; `undefined` where a certificate names it, which only the broker reads. */
export function usersOf({ urls, tls }: AmqpAddress): readonly string[] | undefined {
  const logins = parseAmqpAddresses(urls).map(({ login }) => login?.user);
  if (tlsOptions(tls)?.cert !== undefined && logins.includes(undefined)) return undefined;
  return logins.map((user) => user ?? guest);
}

/** The user that brokers know by default. */
const guest = "guest";

/** Without a user, a certificate proves who we are; without either, we are the guest that brokers know. */
function credentialsOf(
  login: AmqpBroker["login"],
  hasCertificate: boolean,
): NonNullable<SocketOptions["credentials"]> {
  if (login !== undefined) return credentials.plain(login.user, login.password);
  return hasCertificate ? credentials.external() : credentials.plain(guest, guest);
}
