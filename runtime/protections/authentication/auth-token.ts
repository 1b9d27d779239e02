// Keys that callers send as they are: `type: apiKey`, and `type: http` with `scheme: bearer` that is no JWT.

import { GatewayError } from "../../errors.ts";
import { hashKey } from "../../keys/key-hash.ts";
import type { FoundKey } from "../../keys/keys.ts";
import { disallowed } from "./decide.ts";
import type { Authentication, AuthenticationMethod } from "./method.ts";
import { type CredentialSources, readCredential } from "./sources.ts";

export interface AuthTokenOptions extends CredentialSources {
  /** Whether the document describes it as a bearer token, which a 401 then says. */
  readonly bearer?: boolean;
}

const bearerPattern = /^bearer +/i;

/** Looks the credential up among the keys of the gateway; without any, nobody gets in. */
export function authToken({ bearer = false, ...sources }: AuthTokenOptions): AuthenticationMethod {
  const isShared = sources.header?.toLowerCase() === "authorization";
  return {
    identity: "auth_token",
    start: ({ keys }) => ({
      sources,
      ...(bearer && { challenge: "Bearer" }),
      authenticate(call) {
        const credential = readCredential(call, sources);
        if (credential === undefined || credential instanceof GatewayError) return credential;
        const token = credential.replace(bearerPattern, "");
        // `Basic …` and the like are for other schemes.
        if (isShared && token.includes(" ")) return undefined;
        const found = keys?.findKey(hashKey(token));
        return found instanceof Promise ? found.then((key) => toCaller(token, key)) : toCaller(token, found);
      },
    }),
  };
}

function toCaller(token: string, key: FoundKey | undefined): Authentication {
  if (key === undefined) return disallowed();
  const { session } = key;
  return { token, session, metadata: session.metadata };
}
