// Bodies of requests to the endpoints: parameters as `application/x-www-form-urlencoded`.

import type { IncomingMessage } from "node:http";
import { OauthError } from "./oauth-error.ts";

/** Parameters by name; what was sent empty is absent (RFC 6749, section 3.2). */
export type Form = ReadonlyMap<string, string>;

/** Bytes of a form: two tokens and a secret fit many times. */
const longest = 16_384;

/** Reads a form; a refusal where it is none, too long, or names a parameter twice. */
export async function readForm(request: IncomingMessage): Promise<Form | OauthError> {
  const [type = ""] = (request.headers["content-type"] ?? "").split(";", 1);
  if (type.trim().toLowerCase() !== "application/x-www-form-urlencoded") {
    return new OauthError("invalid_request", "Parameters come as application/x-www-form-urlencoded", 415);
  }
  const text = await readText(request);
  if (text === undefined) return new OauthError("invalid_request", "The form is too long or incomplete", 413);
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (form.has(name)) return new OauthError("invalid_request", "A parameter is given more than once");
    form.set(name, value);
  }
  for (const [name, value] of form) if (value === "") form.delete(name);
  return form;
}

async function readText(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request) {
      const bytes: Buffer = chunk;
      size += bytes.length;
      if (size > longest) return undefined;
      chunks.push(bytes);
    }
  } catch {
    return undefined; // the client is gone
  }
  return Buffer.concat(chunks).toString("utf8");
}
