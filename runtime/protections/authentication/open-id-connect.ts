// Tokens of an issuer that describes itself: `type: openIdConnect`.

import { createBackoff } from "../../concurrency/backoff.ts";
import { disallowed } from "./decide.ts";
import { readAlgorithms, signedBearer } from "./jwt.ts";
import type { AuthenticationMethod } from "./method.ts";
import { type CredentialSources, given } from "./sources.ts";
import { askIssuer, unavailable } from "./tokens/issuer-requests.ts";
import { fetchPauses, type PublishedKeysContext, publishedKeys } from "./tokens/published-keys.ts";
import type { TokenKeys } from "./tokens/token-keys.ts";
import { type ClaimOptions, createOwnerReader } from "./tokens/token-owner.ts";
import { createTokenVerifier } from "./tokens/token-verifier.ts";

export interface OpenIdConnectOptions extends CredentialSources, ClaimOptions {
  /** Where the issuer describes itself. */
  readonly url: string;
  /** A family or one algorithm with published keys; `rsa` by default. */
  readonly signingMethod?: string;
}

/** Verifies the token with the keys that its issuer publishes; it has to name that issuer. */
export function openIdConnect(options: OpenIdConnectOptions): AuthenticationMethod {
  const { header, query, cookie, url, signingMethod = "rsa" } = options;
  const sources = given({ header, query, cookie });
  const algorithms = readAlgorithms(signingMethod);
  return {
    identity: "oidc_user",
    start(context) {
      const keys = discoveredKeys(url, context);
      const verifier = createTokenVerifier(algorithms, keys);
      const readOwner = createOwnerReader(options, context.keys);
      return signedBearer(sources, verifier, (text, claims) =>
        claims.iss === keys.issuer() ? readOwner(text, claims) : disallowed(),
      );
    },
  };
}

// Keys of an issuer that describes itself (OpenID Connect Discovery 1.0, sections 3 and 4).

/** What an issuer says of itself. */
interface Description {
  readonly issuer: string;
  readonly keys: TokenKeys;
  readonly keysAddress: string;
  readonly at: number;
}

/** Keys, and who signs with them. */
interface DiscoveredKeys extends TokenKeys {
  /** The issuer that its tokens have to name; `undefined` before the first description was read. */
  issuer(): string | undefined;
}

const wellKnown = /\/\.well-known\/openid-configuration$/;
/** Milliseconds that a description counts. */
const lifetime = 3_600_000;

/**
 * Keys of the issuer that `url` describes. Nothing is fetched before it is needed. The address has to be that of the
 * issuer it names (section 4.3), or any description would do for tokens of any issuer.
 */
function discoveredKeys(url: string, context: PublishedKeysContext): DiscoveredKeys {
  const { log, signal, now = () => performance.now() } = context;
  const backoff = createBackoff(fetchPauses);
  let description: Description | undefined;
  let reading: Promise<void> | undefined;
  let notBefore = Number.NEGATIVE_INFINITY;

  async function read(): Promise<void> {
    try {
      const { issuer, keysAddress } = await readDescription(url, signal);
      const known = description?.keysAddress === keysAddress ? description.keys : undefined;
      const keys = known ?? publishedKeys({ url: keysAddress }, context);
      description = { issuer, keys, keysAddress, at: now() };
      backoff.reset();
    } catch (error) {
      notBefore = now() + backoff.next();
      if (!signal.aborted) log.warn("OpenID configuration of the token issuer unavailable", { error });
    }
  }

  async function current(): Promise<Description> {
    const isOld = description === undefined || now() - description.at >= lifetime;
    if (isOld && reading === undefined && now() >= notBefore) {
      reading = read().finally(() => {
        reading = undefined;
      });
    }
    // An old description serves while a new one is read: the keys have their own time.
    if (description === undefined) await reading;
    if (description === undefined) throw unavailable();
    return description;
  }

  return {
    issuer: () => description?.issuer,
    async version() {
      const { keys, keysAddress } = await current();
      return `${keysAddress} ${await keys.version()}`;
    },
    find: async (head) => (await current()).keys.find(head),
  };
}

async function readDescription(
  url: string,
  signal: AbortSignal,
): Promise<Pick<Description, "issuer" | "keysAddress">> {
  const { issuer, jwks_uri: keysAddress } = await askIssuer({ url, signal });
  if (typeof issuer !== "string" || typeof keysAddress !== "string" || !/^https?:\/\//i.test(keysAddress)) {
    throw unavailable(new Error("the description names no `issuer` or no `jwks_uri`"));
  }
  if (issuer.replace(/\/$/, "") !== url.replace(wellKnown, "").replace(/\/$/, "")) {
    throw unavailable(new Error("the description is that of another issuer"));
  }
  return { issuer, keysAddress };
}
