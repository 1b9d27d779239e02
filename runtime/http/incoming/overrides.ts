// Header fields that would make servers read another request than the one the gateway checked.

/**
 * Fields with which frameworks, proxies and file servers override the method, path, host, scheme or client of a
 * request, or its response. Patterns instead of a list of names: each of these words has several forms.
 */
const families =
  /^x-(?:accel|envoy|forward(?:ed)?|http-(?:host|method|path|uri|url)|ingress|invoke|matched|method|middleware|original|override|rewrite|sendfile)(?:-|$)/;

/** Further fields, by their full names. */
const overrides: ReadonlySet<string> = /* @__PURE__ */ new Set([
  ...["http-method-override", "method-override", "proxy", "x-proxy-url", "x-request-uri", "request-uri"],
  ...["path-info", "script-name", "x-script-name", "x-now-route-matches", "x-waws-unencoded-url"],
  ...["x-host", "x-real-host", "x-backend-host", "front-end-https", "x-arr-ssl", "x-scheme", "x-url-scheme"],
  ...["forwarded", "forwarded-for", "x-client-ip", "client-ip", "true-client-ip", "x-cluster-client-ip"],
  ...["cf-connecting-ip", "fastly-client-ip", "fly-client-ip", "x-azure-clientip", "x-azure-socketip"],
  ...["x-nf-client-connection-ip", "x-originating-ip", "x-remote-ip", "x-remote-addr", "x-proxyuser-ip"],
  "x-real-ip",
]);

/** Whether a field, in lower case, overrides a part of the request. */
export function isOverride(name: string): boolean {
  const read = readName(name);
  return overrides.has(read) || families.test(read);
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
