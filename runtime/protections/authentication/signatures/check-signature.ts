// Checks whether a request was signed with the secret that it names, recently and only once
// (draft-cavage-http-signatures-12, section 2.5).

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { headerValues } from "../../../http/request-fields.ts";

/** The rules for signatures. */
export interface SignatureRules {
  /** Names such as `hmac-sha256`. */
  readonly allowedAlgorithms: readonly string[];
  /** Milliseconds that the clock of a client may differ, in both directions. */
  readonly allowedClockSkew: number;
  /** Headers that must be signed, in addition to a date. */
  readonly requiredHeaders: readonly string[];
  /** Whether a signature is refused if it is repeated while its date is valid. */
  readonly refuseRepeats: boolean;
}

/** A parsed signed request. */
export interface SignedRequest {
  readonly keyId: string;
  /** Verifies the signature. Without a secret, takes as long and returns false. `full`: cannot be verified now. */
  holds(secret: string | undefined): boolean | "full";
}

const digests: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["hmac-sha1", "sha1"],
  ["hmac-sha256", "sha256"],
  ["hmac-sha384", "sha384"],
  ["hmac-sha512", "sha512"],
]);

/** The names of all algorithms; the configuration decides which are allowed. */
export const signatureAlgorithms: readonly string[] = /* @__PURE__ */ [...digests.keys()];

/** Returns a parser of signed requests; it returns `undefined` if a signature cannot be valid. */
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

/** Refuses repeated signatures. */
interface SeenSignatures {
  /** Returns whether the signature is new; if so, it is remembered until `until`, by `Date.now()`. */
  admit(signature: string, until: number): "new" | "seen" | "full";
}

/** The most remembered signatures. */
const most = 100_000;

/** Remembers signatures in this process; when full, it refuses new ones instead of forgetting others. */
export function createSeenSignatures(limit: number = most): SeenSignatures {
  const ends = new Map<string, number>();
  // Dates have whole seconds: the memory is searched at most once a second, not for each request while it is full.
  let firstEnd = Number.POSITIVE_INFINITY;
  return {
    admit(signature, until) {
      if (ends.has(signature)) return "seen";
      const now = Date.now();
      if (ends.size >= limit && firstEnd < now) firstEnd = forget(ends, now);
      if (ends.size >= limit) return "full";
      ends.set(signature, until);
      firstEnd = Math.min(firstEnd, until);
      return "new";
    },
  };
}

/** Forgets what has ended; returns when the first of the others ends. */
function forget(ends: Map<string, number>, now: number): number {
  let firstEnd = Number.POSITIVE_INFINITY;
  for (const [signature, end] of ends) {
    if (end < now) ends.delete(signature);
    else firstEnd = Math.min(firstEnd, end);
  }
  return firstEnd;
}

// The credential of a signed request: `Signature keyId="…",algorithm="…",headers="…",signature="…"`
// (draft-cavage-http-signatures, section 4.1).

/** A signature with the names of what it covers. */
interface RequestSignature {
  readonly keyId: string;
  /** In lower case. */
  readonly algorithm: string;
  /** The names of what was signed, in order and in lower case. */
  readonly covered: readonly string[];
  readonly signature: Buffer;
}

const parameter = /\s*([a-zA-Z]+)="([^"\\]*)"\s*(,|$)/y;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Parses the text after `Signature `; `undefined` if it is incomplete, malformed or has a repeated parameter. */
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

/** Decodes a signature; some clients percent-encode it. */
function decode(text: string): Buffer | undefined {
  const plain = text.replaceAll(/%2b|%2f|%3d/gi, (escaped) => decodeURIComponent(escaped));
  return base64.test(plain) && plain.length % 4 === 0 ? Buffer.from(plain, "base64") : undefined;
}

// The text that a signature covers (draft-cavage-http-signatures, section 2.3).

/** Headers with the time of signing; scripts of web pages cannot set `Date`. */
const dateHeaders = ["date", "x-aux-date"] as const;

/** `Mon, 02 Jan 2006 15:04:05 GMT`. */
const datePattern = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} (?:GMT|UTC)$/;

/** Returns the signed text; `undefined` if a covered header is missing, or is a pseudo-header that is not supported. */
function signedText(request: IncomingMessage, covered: readonly string[]): string | undefined {
  const lines: string[] = [];
  for (const name of covered) {
    const value = name === "(request-target)" ? targetOf(request) : headerOf(request, name);
    if (value === undefined) return undefined;
    lines.push(`${name}: ${value}`);
  }
  return lines.join("\n");
}

/** Returns when the request was signed, by `Date.now()`; `undefined` if no covered header says so. */
function signedAt(request: IncomingMessage, covered: readonly string[]): number | undefined {
  const name = dateHeaders.find((each) => covered.includes(each));
  const text = name === undefined ? undefined : headerOf(request, name);
  const time = text !== undefined && datePattern.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

function targetOf({ method = "", url = "" }: IncomingMessage): string {
  return `${method.toLowerCase()} ${url}`;
}

/** Returns a header; repeated values are joined, as all later readers do. */
function headerOf(request: IncomingMessage, name: string): string | undefined {
  const values = name.startsWith("(") ? [] : headerValues(request, name);
  return values.length === 0 ? undefined : values.join(", ");
}
