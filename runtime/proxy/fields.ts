// Which header fields belong to one connection, or are the gateway's to write (RFC 9110, section 7.6.1).

/** Of one connection, or of the proxy a client speaks to. */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "transfer-encoding",
  "upgrade",
]);

/** What the gateway tells the upstream by itself: nobody else's word for it counts. */
const claimed: ReadonlySet<string> = new Set([
  "content-length",
  "expect",
  "forwarded",
  "host",
  "trailer",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-prefix",
  "x-forwarded-proto",
  "x-forwarded-server",
  "x-real-ip",
]);

/**
 * What a trailer may not say, as it would come after everybody has looked at the head (RFC 9110, section 6.5.1): who
 * asks, where to, and how the body is to be read.
 */
const headOnly =
  /^(?:authorization|cookie|set-cookie|cache-control|host|range|te|age|date|expires|vary|location|retry-after|www-authenticate|content-.*|if-.*|max-forwards|x-forwarded-.*)$/;

/** The names in a `Connection` field, in lower case. */
export function namedIn(connection: string | undefined): ReadonlySet<string> {
  return new Set((connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
}

/** Whether a field of a request, in lower case, goes on to the upstream as it is. */
export function isPassedOn(name: string, named: ReadonlySet<string>): boolean {
  if (named.has(name) || name.startsWith(":")) return false;
  // Servers behind CGI and its heirs read `X_Forwarded_For` as `X-Forwarded-For`.
  const read = name.replaceAll("_", "-");
  return !hopByHop.has(read) && !claimed.has(read);
}

/** Whether a field of an answer, in lower case, goes on to the client. */
export function isPassedBack(name: string, named: ReadonlySet<string>): boolean {
  return !named.has(name) && !hopByHop.has(name);
}

/** Trailer fields that may go on, as pairs. */
export function passedTrailers(trailers: NodeJS.Dict<string>): [string, string][] {
  return Object.entries(trailers).flatMap(([name, value]): [string, string][] =>
    value === undefined || headOnly.test(name) || hopByHop.has(name) || claimed.has(name)
      ? []
      : [[name, value]],
  );
}
