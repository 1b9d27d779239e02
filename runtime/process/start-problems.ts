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
  if (!("code" in error)) return undefined;
  const address = "address" in error && "port" in error ? `${error.address}:${error.port}` : undefined;
  if (error.code === "EADDRINUSE") {
    return [
      "variable" in error
        ? `${address} is in use; set ${error.variable} to another address`
        : `${address} is in use`,
    ];
  }
  if (error.code === "EACCES" || error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND") {
    return [`cannot listen on ${address ?? "the address"} (${error.code})`];
  }
  return undefined;
}
