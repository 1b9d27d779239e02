// Requests signed with a secret that caller and gateway share: `server.authentication.hmac`, and `type: http` with
// `scheme: signature` (draft-cavage-http-signatures).

import { GatewayError } from "../../errors.ts";
import { hashKey } from "../../keys/key-hash.ts";
import type { FoundKey } from "../../keys/keys.ts";
import { EnvironmentError } from "../../process/environment.ts";
import { disallowed } from "./decide.ts";
import { type AuthenticationMethod, renewable } from "./method.ts";
import { createSignatureReader, signatureAlgorithms } from "./signatures/check-signature.ts";
import { type CredentialSources, given, readCredential } from "./sources.ts";
import { unavailable } from "./tokens/issuer-requests.ts";

export interface SignedRequestsOptions extends Pick<CredentialSources, "header"> {
  readonly allowedAlgorithms?: readonly string[];
  /** Milliseconds that clocks may differ; 0 stands for the default. */
  readonly allowedClockSkew?: number;
  readonly requiredHeaders?: readonly string[];
  readonly refuseRepeats?: boolean;
}

const pattern = /^signature +(?=\S)/i;
/** SHA-1 must be enabled explicitly. */
const usualAlgorithms = ["hmac-sha256", "hmac-sha384", "hmac-sha512"];
const usualSkew = 60_000;

/** Looks up the key that a request names and verifies the signature with the secret of that key. */
export function signedRequests(options: SignedRequestsOptions): AuthenticationMethod {
  const { allowedAlgorithms = usualAlgorithms, allowedClockSkew = 0 } = options;
  const { requiredHeaders = [], refuseRepeats = false } = options;
  if (!allowedAlgorithms.every((name) => signatureAlgorithms.includes(name))) {
    throw new EnvironmentError([`\`allowedAlgorithms\` are among ${signatureAlgorithms.join(", ")}`]);
  }
  const sources = given({ header: options.header });
  return {
    identity: "hmac_key",
    accepts: { kind: "hmac" },
    start({ keys }) {
      const skew = allowedClockSkew > 0 ? allowedClockSkew : usualSkew;
      const read = createSignatureReader({
        allowedAlgorithms,
        allowedClockSkew: skew,
        requiredHeaders,
        refuseRepeats,
      });
      return {
        sources,
        challenge: `Signature realm="API",headers="${["date", ...requiredHeaders].join(" ").toLowerCase()}"`,
        async authenticate(call) {
          const credential = readCredential(call, sources);
          if (credential === undefined || credential instanceof GatewayError) return credential;
          // Other schemes, such as `Bearer …`, are not handled here.
          if (!pattern.test(credential)) return undefined;
          const signed = read(call.request, credential.replace(pattern, ""));
          if (signed === undefined) return disallowed();
          const hash = hashKey(signed.keyId);
          const secret = secretOf(await keys?.findKey(hash));
          const verdict = signed.holds(secret);
          if (verdict === "full") return unavailable();
          if (!verdict) return disallowed();
          // A signature is valid until its secret is changed.
          return renewable(async () => {
            const found = await keys?.findKey(hash);
            if (found === undefined || secretOf(found) !== secret) return disallowed();
            return { session: found.session, metadata: found.session.metadata };
          });
        },
      };
    },
  };
}

function secretOf(found: FoundKey | undefined): string | undefined {
  const { hmac_secret: secret = "", hmac_enabled: isEnabled = true } = found?.record ?? {};
  return secret === "" || !isEnabled ? undefined : secret;
}
