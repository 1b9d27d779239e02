// Keys that callers send unchanged: `type: apiKey`, and `type: http` with `scheme: bearer` that is not a JWT.

import type { Eventually } from "../../component/resource.ts";
import { GatewayError } from "../../errors.ts";
import { hashKey } from "../../keys/key-hash.ts";
import type { FoundKey } from "../../keys/keys.ts";
import { disallowed } from "./decide.ts";
import type { Authentication, AuthenticationMethod } from "./method.ts";
import { type CredentialSources, readBearer } from "./sources.ts";

export interface AuthTokenOptions extends CredentialSources {
  /** Whether the document describes it as a bearer token; a 401 response then says so. */
  readonly bearer?: boolean;
}

/** Looks the credential up among the keys of the gateway; refuses all callers if the gateway has no keys. */
export function authToken({ bearer = false, ...sources }: AuthTokenOptions): AuthenticationMethod {
  return {
    identity: "auth_token",
    accepts: { kind: "token" },
    start({ keys }) {
      /** Returns the caller whose key has this hash; called again whenever the caller's right is evaluated again. */
      function find(token: string, hash: string): Eventually<Authentication> {
        const found = keys?.findKey(hash);
        const renew = () => find(token, hash);
        if (found instanceof Promise) return found.then((key) => toCaller(token, key, renew));
        return toCaller(token, found, renew);
      }

      return {
        sources,
        ...(bearer && { challenge: "Bearer" }),
        authenticate(call) {
          const token = readBearer(call, sources);
          if (token === undefined || token instanceof GatewayError) return token;
          return find(token, hashKey(token));
        },
      };
    },
  };
}

function toCaller(
  token: string,
  key: FoundKey | undefined,
  renew: () => Eventually<Authentication>,
): Authentication {
  if (key === undefined || isPublicName(key)) return disallowed();
  const { session } = key;
  return { token, session, metadata: session.metadata, renew };
}

/** Whether the key signs requests or tokens: its name is sent with each of them, so it proves nothing alone. */
function isPublicName({ record: { hmac_secret: hmac = "", jwt_data: jwt } }: FoundKey): boolean {
  return hmac !== "" || (jwt?.secret ?? "") !== "";
}
