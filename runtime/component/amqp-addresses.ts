// Addresses of brokers that speak AMQP, in either version.

import { GatewayError } from "../errors.ts";
import { splitCommas } from "../text/trim.ts";

/** One broker. */
export interface AmqpBroker {
  /** Without the user and password. */
  readonly url: URL;
  readonly login: { readonly user: string; readonly password: string } | undefined;
}

/** The brokers in the order they are tried. Throws a `GatewayError` where an address cannot be read. */
export function parseAmqpAddresses(urls: readonly string[]): readonly AmqpBroker[] {
  return urls.flatMap(splitCommas).map((address) => {
    const url = parseAddress(address);
    const { username, password } = url;
    url.username = "";
    url.password = "";
    return {
      url,
      login: username === "" ? undefined : { user: decodePart(username), password: decodePart(password) },
    };
  });
}

function parseAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === "amqp:" || url?.protocol === "amqps:") return url;
  throw new GatewayError(500, "An address of an AMQP broker cannot be read");
}

/** A `%` that escapes nothing stands for itself. */
function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
