// Keys that callers send as they are: `type: apiKey`, and `type: http` with `scheme: bearer` that is no JWT.

import { GatewayError } from "../../errors.ts";
import type { FoundKey } from "../../keys/keys.ts";
import { readBearer } from "./bearer.ts";
import { disallowed } from "./decide.ts";
import { createKeyHasher } from "./key-hasher.ts";
import type { Authentication, AuthenticationMethod } from "./method.ts";
import type { CredentialSources } from "./sources.ts";

export interface AuthTokenOptions extends CredentialSources {
  /** Whether the document describes it as a bearer token, which a 401 then says. */
  readonly bearer?: boolean;
}

/** Looks the credential up among the keys of the gateway; without any, nobody gets in. */
export function authToken({ bearer = false, ...sources }: AuthTokenOptions): AuthenticationMethod {
  return {
    identity: "auth_token",
    start({ keys }) {
      const hashOf = createKeyHasher();
      return {
        sources,
        ...(bearer && { challenge: "Bearer" }),
        authenticate(call) {
          const token = readBearer(call, sources);
          if (token === undefined || token instanceof GatewayError) return token;
          const found = keys?.findKey(hashOf(call.request.socket, token));
          if (found instanceof Promise) return found.then((key) => toCaller(token, key));
          return toCaller(token, found);
        },
      };
    },
  };
}

function toCaller(token: string, key: FoundKey | undefined): Authentication {
  if (key === undefined || isPublicName(key)) return disallowed();
  const { session } = key;
  return { token, session, metadata: session.metadata };
}

/** What signs requests or tokens sends the name of its key along with each, so that it proves nothing by itself. */
function isPublicName({ record: { hmac_secret: hmac = "", jwt_data: jwt } }: FoundKey): boolean {
  return hmac !== "" || (jwt?.secret ?? "") !== "";
}
