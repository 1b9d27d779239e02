// Users with passwords: `type: http` with `scheme: basic` (RFC 7617).

import { GatewayError } from "../../errors.ts";
import type { Keys } from "../../keys/keys.ts";
import type { Authentication, AuthenticationMethod } from "./method.ts";
import { createPasswords, type Passwords } from "./passwords.ts";
import { type CredentialSources, readCredential } from "./sources.ts";

export interface BasicOptions extends CredentialSources {
  /** Verifies passwords anew with each request, which takes its time each time. */
  readonly disableCaching?: boolean;
  /** Seconds that a password which was right is not verified again. */
  readonly cacheTTL?: number;
}

const pattern = /^(?:basic +)?([A-Za-z0-9+/_-]+={0,2})$/i;

/** Asks for a user of the gateway and its password. */
export function basic({
  disableCaching = false,
  cacheTTL = 60,
  ...sources
}: BasicOptions): AuthenticationMethod {
  return {
    identity: "basic_auth_user",
    start({ keys, gateway }) {
      const passwords = createPasswords(gateway, disableCaching ? 0 : cacheTTL * 1000);
      return {
        sources,
        challenge: 'Basic realm="API", charset="UTF-8"',
        authenticate(call) {
          const credential = readCredential(call, sources);
          if (credential === undefined || credential instanceof GatewayError) return credential;
          const [, encoded] = pattern.exec(credential) ?? [];
          // `Bearer …` and the like are for other schemes.
          if (encoded === undefined) return undefined;
          const text = Buffer.from(encoded, "base64").toString("utf8");
          const end = text.indexOf(":");
          if (end === -1) return unauthorised();
          const [name, password] = [text.slice(0, end), text.slice(end + 1)];
          return identify(keys, passwords, { name, password, address: call.remoteAddress });
        },
      };
    },
  };
}

async function identify(
  keys: Keys | undefined,
  passwords: Passwords,
  { name, password, address }: { readonly name: string; readonly password: string; readonly address: string },
): Promise<Authentication> {
  const user = await keys?.findUser(name);
  const isRight = await passwords.verify(name, password, user?.record.basic_auth_data?.password, address);
  if (isRight instanceof GatewayError) return isRight;
  if (user === undefined || !isRight) return unauthorised();
  return { session: user.session, metadata: user.session.metadata };
}

/** The same for unknown users and wrong passwords. */
function unauthorised(): GatewayError {
  return new GatewayError(401, "User not authorised", { reason: "wrong_credential" });
}
