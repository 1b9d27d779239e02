// Tokens of an issuer with a discovery document: `type: openIdConnect`.

import type { Eventually } from "../../component/resource.ts";
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
  /** The address of the issuer's discovery document. */
  readonly url: string;
  /** A family or one algorithm with published keys; `rsa` by default. */
  readonly signingMethod?: string;
}

/** Verifies tokens with the keys that the issuer publishes; the token must name that issuer. */
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

// The keys of an issuer with a discovery document (OpenID Connect Discovery 1.0, sections 3 and 4).

/** The contents of a discovery document. */
interface Description {
  readonly issuer: string;
  readonly keys: TokenKeys;
  readonly keysAddress: string;
  /** How often the address changed: an address may return, with other keys than it had. */
  readonly moves: number;
  readonly at: number;
}

/** Keys with their issuer. */
interface DiscoveredKeys extends TokenKeys {
  /** Returns the issuer that tokens must name; `undefined` before the first discovery document was read. */
  issuer(): string | undefined;
}

const wellKnown = /\/\.well-known\/openid-configuration$/;
/** Milliseconds for which a discovery document is trusted. */
const lifetime = 3_600_000;

/**
 * Returns the keys of the issuer whose discovery document is at `url`; fetches nothing before it is needed. The
 * address must match the issuer that the document names (section 4.3): otherwise any document could claim the tokens
 * of any issuer.
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
      const moves = (description?.moves ?? 0) + (known === undefined ? 1 : 0);
      description = { issuer, keys, keysAddress, moves, at: now() };
      backoff.reset();
    } catch (error) {
      notBefore = now() + backoff.next();
      if (!signal.aborted) log.warn("OpenID configuration of the token issuer unavailable", { error });
    }
  }

  function current(): Eventually<Description> {
    const isOld = description === undefined || now() - description.at >= lifetime;
    if (isOld && reading === undefined && now() >= notBefore) {
      reading = read().finally(() => {
        reading = undefined;
      });
    }
    // The previous document serves while a new one is read: the keys have their own lifetime.
    return description ?? Promise.resolve(reading).then(known);
  }

  function known(): Description {
    if (description === undefined) throw unavailable();
    return description;
  }

  function versionOf({ keys, moves }: Description): Eventually<string> {
    const version = keys.version();
    const named = (each: string) => `${moves} ${each}`;
    return version instanceof Promise ? version.then(named) : named(version);
  }

  return {
    issuer: () => description?.issuer,
    version() {
      const present = current();
      return present instanceof Promise ? present.then(versionOf) : versionOf(present);
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
    throw unavailable(new Error("the discovery document has no `issuer` or no `jwks_uri`"));
  }
  if (issuer.replace(/\/$/, "") !== url.replace(wellKnown, "").replace(/\/$/, "")) {
    throw unavailable(new Error("the discovery document is of another issuer"));
  }
  return { issuer, keysAddress };
}
