// Logins of Kafka clients: PLAIN (RFC 4616), SCRAM (RFC 5802, section 3) and OAUTHBEARER (RFC 7628, section 3.1).

import type { SASLOptions } from "kafkajs";
import type { Cache } from "../../component/resource.ts";
import { GatewayError } from "../../errors.ts";
import {
  type ClientCredentialsBlock,
  type SendTokenRequest,
  TokenSource,
} from "../../requests/client-credentials.ts";
import { decodeUtf8 } from "../../text/utf8.ts";
import type { KafkaSaslMethod } from "./franz/generated/input-options.ts";
import type { TokenMaker } from "./msk-token.ts";

/** The credentials of a client. */
export interface Sasl {
  readonly mechanism?: "none" | "PLAIN" | "OAUTHBEARER" | "SCRAM-SHA-256" | "SCRAM-SHA-512" | "AWS_MSK_IAM";
  readonly user?: string;
  readonly password?: string;
  readonly access_token?: string;
  /** Extensions that are sent with the token. */
  readonly extensions?: Readonly<Record<string, string>>;
  readonly token_cache?: Cache;
  readonly token_key?: string;
  readonly oauth2?: ClientCredentialsBlock & { readonly extensions?: Readonly<Record<string, string>> };
  /** Creates the tokens of `AWS_MSK_IAM`. */
  readonly aws?: TokenMaker | undefined;
}

/**
 * Returns the kafkajs options; `undefined` if no login is configured.
 * Throws a `GatewayError` if the settings are invalid.
 */
export function saslOptions(sasl: Sasl | undefined): SASLOptions | undefined {
  if (sasl === undefined) return undefined;
  const { user: username = "", password = "" } = sasl;
  switch (sasl.mechanism ?? "none") {
    case "none":
      return undefined;
    case "PLAIN":
      return { mechanism: "plain", username, password };
    case "SCRAM-SHA-256":
      return { mechanism: "scram-sha-256", username, password };
    case "SCRAM-SHA-512":
      return { mechanism: "scram-sha-512", username, password };
    case "OAUTHBEARER": {
      const token = tokenSource(sasl);
      const extensions = checkExtensions({ ...sasl.oauth2?.extensions, ...sasl.extensions });
      return bearer(token, extensions);
    }
    case "AWS_MSK_IAM": {
      const { aws } = sasl;
      if (aws === undefined) throw new GatewayError(500, "`sasl` needs `aws` with AWS_MSK_IAM");
      return bearer(async () => aws(), {});
    }
  }
}

/** Requests a token for every connection, and whenever the broker requires reauthentication. */
function bearer(token: () => Promise<string>, extensions: Readonly<Record<string, string>>): SASLOptions {
  const oauthBearerProvider = async () => ({
    value: checkToken(await token()),
    extensions: { ...extensions },
  });
  return { mechanism: "oauthbearer", oauthBearerProvider };
}

/** Checks the syntax of a token (RFC 6750, section 2.1). The message does not quote the token, as it is a secret. */
function checkToken(token: string): string {
  if (/^[A-Za-z0-9._~+/-]+=*$/.test(token)) return token;
  throw new GatewayError(502, "The token of `sasl` is empty or has characters that tokens cannot have");
}

/**
 * Checks extensions (RFC 7628, section 3.1):
 * values cannot contain the field separator, and `auth` is reserved for the token.
 */
function checkExtensions(extensions: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(extensions)) {
    if (!/^[A-Za-z]+$/.test(name) || name === "auth" || !/^[\t\n\r\x20-\x7e]*$/.test(value))
      throw new GatewayError(500, `\`extensions\` of \`sasl\` cannot hold \`${name}\` or its value`);
  }
  return extensions;
}

function tokenSource(sasl: Sasl): () => Promise<string> {
  const { access_token = "", token_cache: cache, token_key: key = "", oauth2 } = sasl;
  if (oauth2?.enabled === true) {
    // No lifetime by default: kafkajs does not report which token a broker refused.
    const tokens = new TokenSource(oauth2, 0);
    return () => tokens.token(sendTokenRequest);
  }
  if (cache === undefined) return async () => access_token;
  return async () => {
    const token = await cache.get(key);
    if (token === undefined) throw new GatewayError(502, `The cache holds no token under \`${key}\``);
    return decodeUtf8(token);
  };
}

const sendTokenRequest: SendTokenRequest = ({ verb, url, headers, body }, signal) =>
  fetch(url, { method: verb, headers: Object.fromEntries(headers), body, signal, redirect: "error" });

/**
 * Returns the only method of a list, in the spelling of `kafka`; `undefined` for an empty list.
 * Throws if there are several.
 */
export function saslMethod(methods: readonly KafkaSaslMethod[]): Sasl | undefined {
  const [method, ...others] = methods;
  if (method === undefined) return undefined;
  if (others.length > 0) throw new GatewayError(500, "`sasl` takes one method");
  const { mechanism, username: user = "", password = "", token: access_token = "", extensions = {} } = method;
  const { oauth2 = {}, aws } = method;
  return { mechanism, user, password, access_token, extensions, oauth2, aws };
}
