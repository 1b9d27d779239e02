// Tokens that the gateway itself issued: `type: oauth2`.

import { GatewayError } from "../../errors.ts";
import { actingFor } from "../../keys/both-sessions.ts";
import type { KnownToken } from "../../oauth/oauth-server.ts";
import { disallowed } from "./decide.ts";
import { type Authentication, type AuthenticationMethod, renewable } from "./method.ts";
import { type CredentialSources, given, readBearer } from "./sources.ts";
import { createOwner, createOwnerSessions } from "./tokens/token-owner.ts";

export type AccessTokenOptions = CredentialSources;

/** Looks the token up among the issued ones; its session is that of the client's policy. */
export function accessToken({ header, query, cookie }: AccessTokenOptions): AuthenticationMethod {
  const sources = given({ header, query, cookie });
  return {
    identity: "oauth_key",
    accepts: { kind: "oauth" },
    start({ keys, oauth }) {
      const sessions = createOwnerSessions(keys);

      async function toCaller(token: string, known: KnownToken | undefined): Promise<Authentication> {
        if (known === undefined) return disallowed();
        const { grant, client } = known;
        const owner = createOwner(["client", client.client_id], {
          alias: client.client_id,
          apply_policies: [client.policy_id],
          ...(client.org_id !== undefined && { org_id: client.org_id }),
          ...(client.meta_data !== undefined && { meta_data: client.meta_data }),
        });
        const session = await sessions(owner);
        if (session === undefined) return disallowed();
        const { expires, scopes, user } = grant;
        if (user === undefined)
          return { token, scopes: new Set(scopes), session, metadata: session.metadata, expires };
        const acted = (await keys?.findUser(user))?.session;
        if (acted === undefined) return disallowed();
        const both = actingFor(session, acted);
        return { token, scopes: new Set(scopes), session: both, metadata: both.metadata, expires };
      }

      return {
        sources,
        challenge: "Bearer",
        async authenticate(call) {
          const token = readBearer(call, sources);
          if (token === undefined || token instanceof GatewayError) return token;
          try {
            return await renewable(async () => toCaller(token, await oauth?.findToken(token)));
          } catch (error) {
            if (error instanceof GatewayError) return error;
            throw error;
          }
        },
      };
    },
  };
}
