// Header fields that would make servers read another request than the one the gateway checked.

/**
 * Fields with which frameworks, proxies and file servers override the method, path, host, scheme or client of a
 * request, or its response. Patterns instead of a list of names: each of these words has several forms. A client is
 * also named by its certificate (RFC 9440) or its user, which servers believe that are used behind a proxy.
 */
const families = [
  /^x-(?:accel|arr|auth-request|client-(?:cert|dn|verify)|envoy|forward(?:ed)?|http-(?:destinationurl|host|method|path|uri|url)|ingress|invoke|matched|method|middleware|ms-original|original|override|path-info|proxy-url|remote|replaced|request(?:ed)?-(?:path|uri|url)|rewrite|sendfile|ssl|webauth)(?:-|$)/,
  /^(?:client-cert|forwarded|proxy|remote-(?:addr|email|groups|host|ident|name|user)|ssl-client)(?:-|$)/,
  /(?:^|-)client-?ip$/,
];

/** Further fields, by their full names. */
const overrides: ReadonlySet<string> = /* @__PURE__ */ new Set([
  ...["http-method-override", "method-override", "request-uri", "http-url", "base-url", "path-info"],
  ...["script-name", "x-script-name", "x-now-route-matches", "x-waws-unencoded-url"],
  ...["x-host", "x-real-host", "x-backend-host", "front-end-https", "x-scheme", "x-url-scheme"],
  ...["cf-connecting-ip", "x-azure-socketip", "x-nf-client-connection-ip", "x-originating-ip"],
  ...["x-proxyuser-ip", "x-real-ip"],
]);

/** Whether a field, in lower case, overrides a part of the request. */
export function isOverride(name: string): boolean {
  const read = readName(name);
  return overrides.has(read) || families.some((family) => family.test(read));
}

/**
 * Returns a field name in lower case as CGI and its successors read it, which do not distinguish characters other than
 * letters and digits: `x_original.url` is `x-original-url`.
 */
export function readName(name: string): string {
  return unusual.test(name) ? name.replace(everyUnusual, "-") : name;
}

const unusual = /[^a-z\d-]/;
const everyUnusual = /[^a-z\d-]/g;
