// Header fields by which a request would be another one than the gateway has judged.

/**
 * Another method, path, host, scheme or client than the request's own, as frameworks and proxies read them. All fields that
 * begin with `x-forwarded-` are among them.
 */
const overrides: ReadonlySet<string> = /* @__PURE__ */ new Set([
  ...["x-http-method", "x-http-method-override", "x-method", "x-method-override", "x-original-method"],
  ...[
    "x-original-url",
    "x-original-uri",
    "x-original-path",
    "x-rewrite-url",
    "x-rewrite-uri",
    "x-override-url",
  ],
  ...["x-request-uri", "request-uri", "path-info", "script-name", "x-script-name", "x-proxy-url"],
  ...["x-ingress-path", "x-envoy-original-path", "x-envoy-external-address"],
  ...["x-host", "x-original-host", "x-real-host", "x-http-host-override", "front-end-https", "x-scheme"],
  ...["x-url-scheme", "x-original-proto", "x-forwarded", "forwarded-for", "x-original-for"],
  ...["x-original-forwarded-for", "x-client-ip", "client-ip", "true-client-ip", "x-cluster-client-ip"],
  ...["x-originating-ip", "x-remote-ip", "x-remote-addr", "x-proxyuser-ip"],
]);

/** Whether a field, in lower case, says so. Servers behind CGI and its heirs read `X_Original_URL` as `X-Original-URL`. */
export function isOverride(name: string): boolean {
  const read = name.includes("_") ? name.replaceAll("_", "-") : name;
  return overrides.has(read) || read.startsWith("x-forwarded-");
}
