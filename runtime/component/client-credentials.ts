// Access tokens that a server gives for the credentials of a client (OAuth 2.0, RFC 6749 section 4.4).

import { GatewayError } from "../errors.ts";

/** Who asks whom for what. */
export interface ClientCredentials {
  readonly client_key: string;
  readonly client_secret: string;
  readonly token_url: string;
  readonly scopes: readonly string[];
  /** Further fields of the request. */
  readonly endpoint_params?: Readonly<Record<string, readonly string[]>>;
}

interface Token {
  readonly value: string;
  /** When it is no longer to be used, by `Date.now()`. */
  readonly until: number;
}

const timeout = 10_000;
/** A token is given up that long before its end, so that it does not end on its way. */
const margin = 10_000;

/** Gives a token that is still good, and asks for a new one when there is none; rejects with a `GatewayError`. */
export function createTokenSource(credentials: ClientCredentials): () => Promise<string> {
  let current: Token | undefined;
  let asking: Promise<Token> | undefined;
  return async () => {
    if (current !== undefined && Date.now() < current.until) return current.value;
    asking ??= askForToken(credentials).finally(() => {
      asking = undefined;
    });
    current = await asking;
    return current.value;
  };
}

async function askForToken(credentials: ClientCredentials): Promise<Token> {
  const { client_key, client_secret, token_url, scopes, endpoint_params = {} } = credentials;
  const form = new URLSearchParams({ grant_type: "client_credentials" });
  if (scopes.length > 0) form.set("scope", scopes.join(" "));
  for (const [name, values] of Object.entries(endpoint_params)) {
    form.delete(name);
    for (const value of values) form.append(name, value);
  }
  // Both parts are encoded as form fields first, as section 2.3.1 asks for.
  const user = [client_key, client_secret].map(encodeURIComponent).join(":");
  const authorization = `Basic ${Buffer.from(user).toString("base64")}`;
  try {
    const response = await fetch(token_url, {
      method: "POST",
      headers: { authorization, accept: "application/json" },
      body: form,
      signal: AbortSignal.timeout(timeout),
    });
    if (!response.ok) throw new GatewayError(502, `The server of tokens answered ${response.status}`);
    return readToken(await response.json());
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw new GatewayError(502, "The server of tokens cannot be asked", { cause: error });
  }
}

function readToken(answer: unknown): Token {
  const fields: Readonly<Record<string, unknown>> =
    typeof answer === "object" && answer !== null ? { ...answer } : {};
  const { access_token: value, expires_in: seconds } = fields;
  if (typeof value !== "string" || value === "") {
    throw new GatewayError(502, "The server of tokens gave no `access_token`");
  }
  // Without a time, the token is used once: nobody knows how long it is good for.
  const lifetime = Number(seconds) > 0 ? Number(seconds) * 1000 - margin : 0;
  return { value, until: Date.now() + lifetime };
}
