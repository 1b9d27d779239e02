import { credentials, type SocketOptions } from "amqplib";
import { splitCommas } from "../../commas.ts";
import { GatewayError } from "../../errors.ts";
import { type TlsBlock, tlsOptions } from "../../tls.ts";

/** How documents say where the broker is and how to reach it. */
export interface AmqpAddress {
  readonly urls: readonly string[];
  readonly tls?: TlsBlock;
}

/** A broker, and how to connect to it, in the client's own words. */
export interface Target {
  readonly url: string;
  readonly options: SocketOptions;
  /** For people: no credentials. */
  readonly shown: string;
}

/** Seconds of silence after which the broker is asked for a sign; an address may say otherwise (`?heartbeat=30`). */
const heartbeat = 10;

/** Milliseconds that a connection attempt may take. */
const connectLimit = 10_000;

/** The brokers in the order they are tried. Throws a `GatewayError` where an address cannot be read. */
export function targetsOf({ urls, tls }: AmqpAddress): readonly Target[] {
  const encryption = tlsOptions(tls);
  return urls.flatMap(splitCommas).map((address) => {
    const url = parseAddress(address);
    const login = loginOf(url, encryption?.cert !== undefined);
    // The client would read bytes of UTF-8 in them as letters.
    url.username = "";
    url.password = "";
    if (encryption !== undefined) url.protocol = "amqps:";
    if (!url.searchParams.has("heartbeat")) url.searchParams.set("heartbeat", String(heartbeat));
    return {
      url: url.href,
      options: { ...encryption, credentials: login, timeout: connectLimit, noDelay: true },
      shown: url.host,
    };
  });
}

function parseAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === "amqp:" || url?.protocol === "amqps:") return url;
  throw new GatewayError(500, "An address of an AMQP broker cannot be read");
}

/** Without a user, a certificate proves who we are; without either, we are the guest that brokers know. */
function loginOf(
  { username, password }: URL,
  hasCertificate: boolean,
): NonNullable<SocketOptions["credentials"]> {
  if (username !== "") return credentials.plain(decodePart(username), decodePart(password));
  return hasCertificate ? credentials.external() : credentials.plain("guest", "guest");
}

/** A `%` that escapes nothing stands for itself. */
function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
