/** What a request-context variable is read from: the request itself, or the metadata of the caller's key. */
export type RequestVariableSource = "context" | "meta";

/**
 * `$gw_context.headers_X_Tenant`, `$gw_meta.team`, and their vendor spellings; the name is greedy. Other words in place
 * of `context` are misspelt ones.
 */
export const requestVariable = "\\$(?:gw|tyk)_[A-Za-z_]+\\.[A-Za-z0-9_.-]+";

/** Variables with one value a request: `[name, whether its values are without bound]`. */
const single: Readonly<Record<string, boolean>> = {
  path: false,
  path_parts: true,
  remote_addr: true,
  request_data: true,
  request_id: true,
  token: true,
  trace_id: true,
};

/** Families of variables, whose names go on with what the caller calls the thing. */
export const requestVariableFamilies = [
  "headers_",
  "cookies_",
  "request_data_",
  "path_params_",
  "jwt_claims_",
] as const;

/** Every name that `$gw_context.` takes as it stands. */
export const requestVariableNames: readonly string[] = Object.keys(single);

/** The name as it is read: `trace_id` for the vendor's `tyk_trace_id`. */
export function canonicalVariable(name: string): string {
  return name === "tyk_trace_id" ? "trace_id" : name;
}

/** Whether `$gw_context.` has a variable of that name. */
export function isRequestVariable(name: string): boolean {
  return Object.hasOwn(single, name) || familyOf(name) !== undefined;
}

/** Whether nearly every request brings a value of its own. */
export function isUnbounded(name: string): boolean {
  return Object.hasOwn(single, name) && single[name] === true;
}

/** Whether only an authenticated caller has it. */
export function needsCaller(name: string): boolean {
  return name === "token" || name.startsWith("jwt_claims_");
}

function familyOf(name: string): string | undefined {
  return requestVariableFamilies.find((family) => name.startsWith(family) && name.length > family.length);
}
