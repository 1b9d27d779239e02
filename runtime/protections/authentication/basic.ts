// Users with passwords: `type: http` with `scheme: basic` (RFC 7617).

import { GatewayError } from "../../errors.ts";
import type { FoundKey } from "../../keys/keys.ts";
import type { Authentication, AuthenticationMethod } from "./method.ts";
import { type CredentialSources, readCredential } from "./sources.ts";

export type BasicOptions = CredentialSources;

const pattern = /^(?:basic +)?([A-Za-z0-9+/_-]+={0,2})$/i;

/** Asks for a user of the gateway and its password. */
export function basic(sources: BasicOptions): AuthenticationMethod {
  return {
    identity: "basic_auth_user",
    start: ({ keys }) => ({
      sources,
      challenge: 'Basic realm="API", charset="UTF-8"',
      async authenticate(call) {
        const credential = readCredential(call, sources);
        if (credential === undefined || credential instanceof GatewayError) return credential;
        const [, encoded] = pattern.exec(credential) ?? [];
        // `Bearer …` and the like are for other schemes.
        if (encoded === undefined) return undefined;
        const [name = "", ...rest] = Buffer.from(encoded, "base64").toString("utf8").split(":");
        const user = await keys?.findUser(name);
        return verify(user, rest.join(":"));
      },
    }),
  };
}

async function verify(user: FoundKey | undefined, password: string): Promise<Authentication> {
  const test = user?.record.basic_auth_data?.password;
  const isRight = test !== undefined && (await test(password));
  if (user === undefined || !isRight) return new GatewayError(401, "User not authorised");
  return { session: user.session, metadata: user.session.metadata };
}
