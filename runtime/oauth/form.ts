// Request bodies of the endpoints: `application/x-www-form-urlencoded` parameters.

import type { IncomingMessage, ServerResponse } from "node:http";
import { GatewayError } from "../errors.ts";
import { readBody } from "../http/read-body.ts";
import { bodyBudget } from "../process/memory/body-budget.ts";
import { OauthError } from "./oauth-error.ts";

/** Parameters by name. Empty parameters are absent (RFC 6749, section 3.2). */
export type Form = ReadonlyMap<string, string>;

/** The maximum size of a form in bytes, many times that of two tokens and a secret. */
const longest = 16_384;

/** Reads a form; returns an error if it is not a form, is too long, repeats a parameter, or exceeds the body budget. */
export async function readForm(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Form | OauthError> {
  const [type = ""] = (request.headers["content-type"] ?? "").split(";", 1);
  if (type.trim().toLowerCase() !== "application/x-www-form-urlencoded") {
    return new OauthError(
      "invalid_request",
      "Parameters must be sent as application/x-www-form-urlencoded",
      415,
    );
  }
  const body = await readBody(request, longest, bodyBudget.holdUntilClosed(response));
  if (body instanceof GatewayError) return refusalOf(body);
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(body.toString("utf8"))) {
    if (form.has(name)) return new OauthError("invalid_request", "A parameter occurs more than once");
    form.set(name, value);
  }
  for (const [name, value] of form) if (value === "") form.delete(name);
  return form;
}

function refusalOf({ status, message, retryAfter, headers }: GatewayError): OauthError {
  const name = retryAfter === undefined ? "invalid_request" : "temporarily_unavailable";
  return new OauthError(name, message, status, {
    ...headers,
    ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
  });
}
