// Explains to operators why a gateway cannot start.

/**
 * Returns the problems to fix, one sentence each: missing variables, an address in use. `undefined` for errors that
 * contain nothing an operator could act on.
 */
export function startProblems(error: unknown): readonly string[] | undefined {
  if (!(error instanceof Error)) return undefined;
  // Compares the name: an error of a gateway in a bundle belongs to the bundle's own class.
  if (error.name === "EnvironmentError" && "problems" in error && Array.isArray(error.problems)) {
    return error.problems.map(String);
  }
  // Something that the gateway requires and cannot use, such as its store; the message is written for operators.
  if (error.name === "GatewayError" && "status" in error && error.status === 503) return [error.message];
  if (!("code" in error)) return undefined;
  const fault = listenFaults.get(error.code);
  if (fault === undefined) return undefined;
  const host = "hostname" in error ? error.hostname : "address" in error ? error.address : "the address";
  const address = "port" in error && error.port !== undefined ? `${host}:${error.port}` : host;
  const remedy = "variable" in error ? `; set ${error.variable} to another address` : "";
  return [`${address} ${fault}${remedy}`];
}

/** The reasons why the process cannot listen on an address. */
const listenFaults: ReadonlyMap<unknown, string> = /* @__PURE__ */ new Map([
  ["EACCES", "cannot be listened on: the process lacks the right to this port"],
  ["EADDRINUSE", "is in use"],
  ["EADDRNOTAVAIL", "is no address of this machine"],
  ["ENOTFOUND", "is an unknown host"],
]);
