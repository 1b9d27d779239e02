// Header fields by which a request would be another one than the gateway has judged.

/**
 * Fields that name another method, path, host, scheme or client than the request's own, or another answer, as frameworks,
 * proxies and servers of static files read them. Families rather than lists of names: each of these words has several.
 */
const families =
  /^x-(?:accel|envoy|forward(?:ed)?|http-(?:host|method|path|uri|url)|ingress|invoke|matched|method|middleware|original|override|rewrite|sendfile)(?:-|$)/;

/** Those that stand alone. */
const overrides: ReadonlySet<string> = /* @__PURE__ */ new Set([
  ...["http-method-override", "method-override", "proxy", "x-proxy-url", "x-request-uri", "request-uri"],
  ...["path-info", "script-name", "x-script-name", "x-now-route-matches", "x-waws-unencoded-url"],
  ...["x-host", "x-real-host", "x-backend-host", "front-end-https", "x-arr-ssl", "x-scheme", "x-url-scheme"],
  ...["forwarded", "forwarded-for", "x-client-ip", "client-ip", "true-client-ip", "x-cluster-client-ip"],
  ...["cf-connecting-ip", "fastly-client-ip", "fly-client-ip", "x-azure-clientip", "x-azure-socketip"],
  ...["x-nf-client-connection-ip", "x-originating-ip", "x-remote-ip", "x-remote-addr", "x-proxyuser-ip"],
  "x-real-ip",
]);

/** Whether a field, in lower case, says so. */
export function isOverride(name: string): boolean {
  const read = readName(name);
  return overrides.has(read) || families.test(read);
}

/**
 * A name in lower case as servers behind CGI and its heirs read it, to which each character other than letters and digits is
 * the same: `X_Original.URL` is `X-Original-URL`.
 */
export function readName(name: string): string {
  return unusual.test(name) ? name.replace(everyUnusual, "-") : name;
}

const unusual = /[^a-z\d-]/;
const everyUnusual = /[^a-z\d-]/g;
