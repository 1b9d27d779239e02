// Why a gateway cannot start, in words for operators.

/**
 * What has to be put right, one sentence each: variables that are missing, an address in use. `undefined`
 * for errors that say nothing an operator could act on.
 */
export function startProblems(error: unknown): readonly string[] | undefined {
  if (!(error instanceof Error)) return undefined;
  // By name: an error of a bundle's gateway has the bundle's own class.
  if (error.name === "EnvironmentError" && "problems" in error && Array.isArray(error.problems)) {
    return error.problems.map(String);
  }
  // What the gateway needs and cannot use, such as its store; its message is for operators.
  if (error.name === "GatewayError" && "status" in error && error.status === 503) return [error.message];
  if (!("code" in error)) return undefined;
  const fault = listenFaults.get(error.code);
  if (fault === undefined) return undefined;
  const host = "hostname" in error ? error.hostname : "address" in error ? error.address : "the address";
  const address = "port" in error && error.port !== undefined ? `${host}:${error.port}` : host;
  const remedy = "variable" in error ? `; set ${error.variable} to another address` : "";
  return [`${address} ${fault}${remedy}`];
}

/** Why an address cannot be listened on. */
const listenFaults: ReadonlyMap<unknown, string> = /* @__PURE__ */ new Map([
  ["EACCES", "cannot be listened on: the process lacks the right to this port"],
  ["EADDRINUSE", "is in use"],
  ["EADDRNOTAVAIL", "is no address of this machine"],
  ["ENOTFOUND", "is an unknown host"],
]);
