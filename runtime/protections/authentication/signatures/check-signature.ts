// Whether a request was signed with a secret that it names, now and once.

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { headerValues } from "../../../http/request-fields.ts";

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

/** A parsed request, and the owner of the secret that verifies it. */
export interface SignedRequest {
  readonly keyId: string;
  /** Looks at it; without a secret it takes as long, and does not hold. `full`: it cannot be verified now. */
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

/** Reads requests; `undefined` for those whose signature cannot hold. */
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

/** Refuses a signature that was used before. */
interface SeenSignatures {
  /** Whether the signature is new; then it is remembered until `until`, by `Date.now()`. */
  admit(signature: string, until: number): "new" | "seen" | "full";
}

/** Signatures remembered at once. */
const most = 100_000;

/** A memory of this process; where it is full it says so rather than forget. */
export function createSeenSignatures(limit: number = most): SeenSignatures {
  const ends = new Map<string, number>();
  return {
    admit(signature, until) {
      if (ends.has(signature)) return "seen";
      if (ends.size >= limit) forget(ends, Date.now());
      if (ends.size >= limit) return "full";
      ends.set(signature, until);
      return "new";
    },
  };
}

function forget(ends: Map<string, number>, now: number): void {
  for (const [signature, end] of ends) if (end < now) ends.delete(signature);
}

// The credential of a signed request: `Signature keyId="…",algorithm="…",headers="…",signature="…"`
// (draft-cavage-http-signatures, section 4.1).

/** A signature with what it is over. */
interface RequestSignature {
  readonly keyId: string;
  /** In lower case. */
  readonly algorithm: string;
  /** Names of what was signed, in order and in lower case. */
  readonly covered: readonly string[];
  readonly signature: Buffer;
}

const parameter = /\s*([a-zA-Z]+)="([^"\\]*)"\s*(,|$)/y;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** What the text says after `Signature `; `undefined` where it is incomplete, unclear or says something twice. */
export function parseSignature(text: string): RequestSignature | undefined {
  const parameters = readParameters(text);
  const keyId = parameters?.get("keyId");
  const algorithm = parameters?.get("algorithm")?.toLowerCase();
  const signature = decode(parameters?.get("signature") ?? "");
  const covered = (parameters?.get("headers") ?? "date").toLowerCase().split(" ");
  const isClear = covered.every((name) => name !== "") && new Set(covered).size === covered.length;
  if (!keyId || algorithm === undefined || signature === undefined || !isClear) return undefined;
  return { keyId, algorithm, covered, signature };
}

function readParameters(text: string): ReadonlyMap<string, string> | undefined {
  const found = new Map<string, string>();
  for (parameter.lastIndex = 0; parameter.lastIndex < text.length; ) {
    const [, name, value, end] = parameter.exec(text) ?? [];
    if (name === undefined || value === undefined || found.has(name)) return undefined;
    found.set(name, value);
    if (end === "") break;
  }
  return found;
}

/** Some clients escape the signature as part of an address. */
function decode(text: string): Buffer | undefined {
  const plain = text.replaceAll(/%2b|%2f|%3d/gi, (escaped) => decodeURIComponent(escaped));
  return base64.test(plain) && plain.length % 4 === 0 ? Buffer.from(plain, "base64") : undefined;
}

// What a signed request is signed over (draft-cavage-http-signatures, section 2.3).

/** Headers that say when a request was signed; pages cannot set the first. */
const dateHeaders = ["date", "x-aux-date"] as const;

/** `Mon, 02 Jan 2006 15:04:05 GMT`. */
const datePattern = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} (?:GMT|UTC)$/;

/** The text; `undefined` where a covered header is not there, or is of a kind that this form does not have. */
function signedText(request: IncomingMessage, covered: readonly string[]): string | undefined {
  const lines: string[] = [];
  for (const name of covered) {
    const value = name === "(request-target)" ? targetOf(request) : headerOf(request, name);
    if (value === undefined) return undefined;
    lines.push(`${name}: ${value}`);
  }
  return lines.join("\n");
}

/** When the request was signed, by `Date.now()`; `undefined` where nothing covered says so. */
function signedAt(request: IncomingMessage, covered: readonly string[]): number | undefined {
  const name = dateHeaders.find((each) => covered.includes(each));
  const text = name === undefined ? undefined : headerOf(request, name);
  const time = text !== undefined && datePattern.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

function targetOf({ method = "", url = "" }: IncomingMessage): string {
  return `${method.toLowerCase()} ${url}`;
}

/** Values of a name that is there several times are joined, as all later readers do. */
function headerOf(request: IncomingMessage, name: string): string | undefined {
  const values = name.startsWith("(") ? [] : headerValues(request, name);
  return values.length === 0 ? undefined : values.join(", ");
}
