/** The source of a request variable: the request itself, or the metadata of the caller's key. */
export type RequestVariableSource = "context" | "meta";

/**
 * Matches `$gw_context.headers_X_Tenant`, `$gw_meta.team`, and their vendor spellings; the name is greedy. Other
 * words in place of `context` match, too, so that misspellings are found.
 */
export const requestVariable = "\\$(?:gw|tyk)_[A-Za-z_]+\\.[A-Za-z0-9_.-]+";

/** Variables with one value per request: `[name, whether the number of values is unbounded]`. */
const single: Readonly<Record<string, boolean>> = {
  path: false,
  path_parts: true,
  remote_addr: true,
  request_data: true,
  request_id: true,
  token: true,
  trace_id: true,
};

/** Families of variables, whose names end with a name that the caller chooses. */
export const requestVariableFamilies = [
  "headers_",
  "cookies_",
  "request_data_",
  "path_params_",
  "jwt_claims_",
] as const;

/** The complete names that `$gw_context.` accepts. */
export const requestVariableNames: readonly string[] = Object.keys(single);

/** Returns the canonical name: `trace_id` for the vendor's `tyk_trace_id`. */
export function canonicalVariable(name: string): string {
  return name === "tyk_trace_id" ? "trace_id" : name;
}

/** Whether `$gw_context.` has a variable of that name. */
export function isRequestVariable(name: string): boolean {
  return Object.hasOwn(single, name) || familyOf(name) !== undefined;
}

/** Whether nearly every request has a different value. */
export function isUnbounded(name: string): boolean {
  return Object.hasOwn(single, name) && single[name] === true;
}

/** Whether only authenticated requests have it. */
export function needsCaller(name: string): boolean {
  return name === "token" || name.startsWith("jwt_claims_");
}

function familyOf(name: string): string | undefined {
  return requestVariableFamilies.find((family) => name.startsWith(family) && name.length > family.length);
}
