// Who asks for a token (RFC 6749, section 2.3.1): name and secret in a header, or in the form, never in the address.

import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { headerValues } from "../http/request-fields.ts";
import type { LoginAttempt } from "../logins/login-attempts.ts";
import type { ClientStore, OauthClient } from "./clients.ts";
import type { Form } from "./form.ts";
import { invalidClient, OauthError } from "./oauth-error.ts";

interface Credentials {
  readonly id: string;
  readonly secret: string;
}

/** Compared with where there is no such client: that takes as long. */
const noHash = "0".repeat(64);

/**
 * The client, once its secret is known to fit; a refusal otherwise, also where `begin` has its name wait. Rejects when
 * the store does.
 */
export async function authenticateClient(
  request: IncomingMessage,
  form: Form,
  clients: ClientStore,
  begin: (client: string) => LoginAttempt | number,
): Promise<OauthClient | OauthError> {
  const credentials = readCredentials(request, form);
  if (credentials === undefined) return invalidClient();
  if (credentials instanceof OauthError) return credentials;
  const attempt = begin(credentials.id);
  if (typeof attempt === "number") return tooMany(attempt);
  const client = await findClient(clients, credentials.id, attempt);
  const given = Buffer.from(hash("sha256", credentials.secret, "hex"));
  const wanted = Buffer.from((client?.secret_hash ?? noHash).toLowerCase());
  const fits = given.length === wanted.length && timingSafeEqual(given, wanted);
  if (client === undefined || !fits || client.is_inactive === true) return invalidClient();
  attempt.right();
  return client;
}

/** A store that does not answer says nothing about the secret. */
async function findClient(
  clients: ClientStore,
  id: string,
  attempt: LoginAttempt,
): Promise<OauthClient | undefined> {
  try {
    return await clients.findClient(id);
  } catch (error) {
    attempt.unverified();
    throw error;
  }
}

function tooMany(wait: number): OauthError {
  const headers = { "retry-after": String(wait) };
  return new OauthError("temporarily_unavailable", "Too many failed logins", 429, headers);
}

function readCredentials(request: IncomingMessage, form: Form): Credentials | OauthError | undefined {
  const headers = headerValues(request, "authorization");
  const [id, secret] = [form.get("client_id"), form.get("client_secret")];
  if (headers.length > 1 || (headers.length > 0 && secret !== undefined)) {
    return new OauthError("invalid_request", "The client proves itself in more than one way");
  }
  const [header] = headers;
  if (header === undefined) return id !== undefined && secret !== undefined ? { id, secret } : undefined;
  const basic = readBasic(header);
  // Another name in the form would be of another client.
  return basic !== undefined && id !== undefined && id !== basic.id ? undefined : basic;
}

function readBasic(header: string): Credentials | undefined {
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header) ?? [];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const at = text.indexOf(":");
  const id = decodeFormValue(text.slice(0, at));
  const secret = decodeFormValue(text.slice(at + 1));
  return at > 0 && id !== undefined && secret ? { id, secret } : undefined;
}

/** Both were encoded as in a form before they were put together. */
function decodeFormValue(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined; // a broken escape
  }
}
