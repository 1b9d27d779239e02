import { credentials, type SocketOptions } from "amqplib";
import { type AmqpBroker, parseAmqpAddresses } from "../../component/amqp-addresses.ts";
import { type TlsBlock, tlsOptions, withTls } from "../../process/tls.ts";

/** The addresses of the broker, and how to connect to it, as documents have them. */
export interface AmqpAddress {
  readonly urls: readonly string[];
  readonly tls?: TlsBlock;
}

/** A broker, and how to connect to it, in the form that the client expects. */
export interface AmqpTarget {
  readonly url: string;
  readonly options: SocketOptions;
}

/** Seconds between heartbeats; an address may set another value (`?heartbeat=30`). */
const heartbeat = 10;

/** Milliseconds that a connection attempt may take. */
const connectLimit = 10_000;

/** Returns the brokers in the order in which they are tried. Throws a `GatewayError` if an address is invalid. */
export function targetsOf({ urls, tls }: AmqpAddress): readonly AmqpTarget[] {
  const encryption = tlsOptions(tls);
  return parseAmqpAddresses(urls).map(({ url, login }) => {
    if (encryption !== undefined) url.protocol = "amqps:";
    if (!url.searchParams.has("heartbeat")) url.searchParams.set("heartbeat", String(heartbeat));
    const options: SocketOptions = {
      // Set here because the client would read the UTF-8 bytes in an address as single characters.
      credentials: credentialsOf(login, encryption?.cert !== undefined),
      timeout: connectLimit,
      noDelay: true,
    };
    return { url: url.href, options: withTls(options, encryption) };
  });
}

/** Returns the users of the connections; `undefined` if a certificate names the user, which only the broker knows. */
export function usersOf({ urls, tls }: AmqpAddress): readonly string[] | undefined {
  const logins = parseAmqpAddresses(urls).map(({ login }) => login?.user);
  if (tlsOptions(tls)?.cert !== undefined && logins.includes(undefined)) return undefined;
  return logins.map((user) => user ?? guest);
}

/** The default user of brokers. */
const guest = "guest";

/**
 * Returns the credentials.
 * Without a user, the certificate identifies the client; without either, it is the default user.
 */
function credentialsOf(
  login: AmqpBroker["login"],
  hasCertificate: boolean,
): NonNullable<SocketOptions["credentials"]> {
  if (login !== undefined) return credentials.plain(login.user, login.password);
  return hasCertificate ? credentials.external() : credentials.plain(guest, guest);
}
