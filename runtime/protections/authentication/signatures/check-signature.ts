// Whether a request was signed with a secret that it names, now and once.

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { createSeenSignatures, type SeenSignatures } from "./seen-signatures.ts";
import { parseSignature, type RequestSignature } from "./signature-header.ts";
import { signedAt, signedText } from "./signed-text.ts";

/** What signatures have to meet. */
export interface SignatureRules {
  /** Such as `hmac-sha256`. */
  readonly allowedAlgorithms: readonly string[];
  /** Milliseconds that the clock of a client may differ, either way. */
  readonly allowedClockSkew: number;
  /** What has to be signed, besides a date. */
  readonly requiredHeaders: readonly string[];
  /** Whether the same signature is refused while its date would hold. */
  readonly refuseRepeats: boolean;
}

/** A request that was taken apart: whose secret it is to be held against. */
export interface SignedRequest {
  readonly keyId: string;
  /** Looks at it; without a secret it takes as long, and does not hold. `full`: nobody can say now. */
  holds(secret: string | undefined): boolean | "full";
}

const digests: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["hmac-sha1", "sha1"],
  ["hmac-sha256", "sha256"],
  ["hmac-sha384", "sha384"],
  ["hmac-sha512", "sha512"],
]);

/** Names of all algorithms; which of them hold, a configuration says. */
export const signatureAlgorithms: readonly string[] = /* @__PURE__ */ [...digests.keys()];

/** Reads requests; `undefined` for those whose signature cannot hold, whoever made it. */
export function createSignatureReader(
  rules: SignatureRules,
): (request: IncomingMessage, text: string) => SignedRequest | undefined {
  const seen = rules.refuseRepeats ? createSeenSignatures() : undefined;
  const absent = randomBytes(32).toString("hex");
  return (request, text) => {
    const parsed = parseSignature(text);
    if (parsed === undefined || !rules.allowedAlgorithms.includes(parsed.algorithm)) return undefined;
    const digest = digests.get(parsed.algorithm);
    const message = signedText(request, parsed.covered);
    const time = signedAt(request, parsed.covered);
    const coversAll = rules.requiredHeaders.every((name) => parsed.covered.includes(name.toLowerCase()));
    if (digest === undefined || message === undefined || time === undefined || !coversAll) return undefined;
    if (Math.abs(Date.now() - time) > rules.allowedClockSkew) return undefined;
    return {
      keyId: parsed.keyId,
      holds(secret) {
        const wanted = createHmac(digest, secret ?? absent)
          .update(message)
          .digest();
        const given = parsed.signature;
        const fits = given.length === wanted.length && timingSafeEqual(given, wanted);
        if (secret === undefined || !fits) return false;
        return seen === undefined || isNew(seen, parsed, time + rules.allowedClockSkew);
      },
    };
  };
}

function isNew(
  seen: SeenSignatures,
  { keyId, signature }: RequestSignature,
  until: number,
): boolean | "full" {
  const verdict = seen.admit(`${keyId} ${signature.toString("base64")}`, until);
  return verdict === "full" ? verdict : verdict === "new";
}
