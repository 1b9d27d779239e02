// Parses the addresses of AMQP brokers, for AMQP 0-9-1 and AMQP 1.0.

import { GatewayError } from "../errors.ts";
import { percentDecode } from "../text/percent.ts";
import { splitCommas } from "../text/trim.ts";

/** The address and the credentials of one broker. */
export interface AmqpBroker {
  /** The address without user and password. */
  readonly url: URL;
  readonly login: { readonly user: string; readonly password: string } | undefined;
}

/** Returns the brokers in the order in which they are tried. Throws a `GatewayError` if an address is not valid. */
export function parseAmqpAddresses(urls: readonly string[]): readonly AmqpBroker[] {
  return urls.flatMap(splitCommas).map((address) => {
    const url = parseAddress(address);
    const { username, password } = url;
    url.username = "";
    url.password = "";
    return {
      url,
      login:
        username === "" ? undefined : { user: percentDecode(username), password: percentDecode(password) },
    };
  });
}

function parseAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === "amqp:" || url?.protocol === "amqps:") return url;
  throw new GatewayError(500, "An address of an AMQP broker cannot be read");
}
