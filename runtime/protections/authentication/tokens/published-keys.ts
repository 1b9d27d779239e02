// Keys that an issuer publishes (RFC 7517, section 5): fetched, cached, and fetched again when the issuer rotates them.

import { createLocalJWKSet, errors, type JSONWebKeySet } from "jose";
import { type Backoff, createBackoff } from "../../../concurrency/backoff.ts";
import type { Logger } from "../../../process/log.ts";
import { askIssuer, unavailable } from "./issuer-requests.ts";
import type { TokenHead, TokenKeys, VerificationKey } from "./token-keys.ts";

/** Where the keys are, and how long they are valid. */
export interface PublishedKeysOptions {
  readonly url: string;
  /** Milliseconds for which fetched keys are trusted; after half of that they are refreshed in the background. */
  readonly lifetime?: number;
  /** Milliseconds between two fetches for unknown keys, regardless of the number of requests. */
  readonly cooldown?: number;
  /** Fetches what is at `url`; by default with `askIssuer`. */
  readonly ask?: (signal: AbortSignal) => Promise<unknown>;
}

/** Keys of an address, which can be fetched again. */
export interface PublishedKeys extends TokenKeys {
  /**
   * Fetches the keys again, at most every `cooldown`, because none of the present ones signed a token. Resolves with
   * whether they changed.
   */
  search(): Promise<boolean>;
}

/** The context in which keys are fetched. */
export interface PublishedKeysContext {
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Called when the fetched keys differ from the previous ones. */
  readonly keysChanged?: (() => void) | undefined;
  /** Returns the time in milliseconds; by default of the monotonic clock. */
  readonly now?: () => number;
}

interface Fetched {
  readonly select: ReturnType<typeof createLocalJWKSet>;
  /** The key set as received. */
  readonly text: string;
  readonly at: number;
}

/** Pauses between failing fetches, in milliseconds. Short: with expired keys all callers are refused. */
export const fetchPauses = { first: 500, longest: 5_000 };

/** The most keys that are tried if no name selects one: each costs as much as verifying a valid token. */
const mostCandidates = 8;

/**
 * Returns the keys of one address; fetches nothing before it is needed. An unknown key name triggers another fetch,
 * at most every `cooldown`. While the issuer does not respond, the fetched keys stay valid until their lifetime ends.
 */
export function publishedKeys(options: PublishedKeysOptions, context: PublishedKeysContext): PublishedKeys {
  const {
    url,
    ask = (signal: AbortSignal) => askIssuer({ url, signal }),
    lifetime = 600_000,
    cooldown = 30_000,
  } = options;
  const { log, signal, keysChanged, now = () => performance.now() } = context;
  const backoff: Backoff = createBackoff({
    ...fetchPauses,
    longest: Math.min(fetchPauses.longest, cooldown),
  });
  let fetched: Fetched | undefined;
  let changes = 0;
  let fetching: Promise<void> | undefined;
  /** No fetch before this time, set after a failed fetch. */
  let notBefore = Number.NEGATIVE_INFINITY;
  /** When keys were last fetched because a key was unknown. */
  let searchedAt = Number.NEGATIVE_INFINITY;

  async function fetchKeys(): Promise<void> {
    try {
      const read = await readSet(ask, signal, now);
      const isOther = read.text !== fetched?.text;
      const isFirst = fetched === undefined;
      fetched = read;
      if (isOther) changes += 1;
      if (isOther && !isFirst) keysChanged?.();
      backoff.reset();
    } catch (error) {
      notBefore = now() + backoff.next();
      if (!signal.aborted) log.warn("JWKS cannot be fetched", { url: withoutQuery(url), error });
    }
  }

  /** Fetches the keys unless a fetch is in progress; never rejects. */
  function refresh(): Promise<void> {
    if (fetching === undefined && now() >= notBefore) {
      fetching = fetchKeys().finally(() => {
        fetching = undefined;
      });
    }
    return fetching ?? Promise.resolve();
  }

  function valid(): Fetched | undefined {
    return fetched !== undefined && now() - fetched.at < lifetime ? fetched : undefined;
  }

  /** Fetches the keys again unless the cooldown applies; resolves with whether they were fetched. */
  async function search(): Promise<boolean> {
    if (fetching === undefined) {
      if (now() < Math.max(searchedAt, fetched?.at ?? Number.NEGATIVE_INFINITY) + cooldown) return false;
      searchedAt = now();
    }
    await refresh();
    return true;
  }

  async function select(head: TokenHead): Promise<readonly VerificationKey[]> {
    const current = valid();
    if (current === undefined) throw unavailable();
    return candidatesOf(current, head);
  }

  return {
    version() {
      const current = valid();
      if (current === undefined) {
        return refresh().then(() => {
          if (valid() === undefined) throw unavailable();
          return String(changes);
        });
      }
      if (now() - current.at >= lifetime / 2) void refresh();
      return String(changes);
    },
    async find(head) {
      if (valid() === undefined) await refresh();
      const known = await select(head);
      return known.length === 0 && (await search()) ? select(head) : known;
    },
    async search() {
      const before = changes;
      return (await search()) && changes !== before;
    },
  };
}

/** Combines the keys of several addresses; a failing address matters only if no other has the key. */
export function joinedKeys(sets: readonly TokenKeys[]): TokenKeys {
  const [only] = sets;
  if (only !== undefined && sets.length === 1) return only;
  return {
    async version() {
      const answers = await Promise.allSettled(sets.map((set) => set.version()));
      if (answers.every(({ status }) => status === "rejected")) throw unavailable();
      return answers.map((answer) => (answer.status === "fulfilled" ? answer.value : "?")).join();
    },
    async find(head) {
      const answers = await Promise.allSettled(sets.map((set) => set.find(head)));
      const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
      if (found.length === 0 && answers.some(({ status }) => status === "rejected")) throw unavailable();
      return found.slice(0, mostCandidates);
    },
  };
}

async function readSet(
  ask: (signal: AbortSignal) => Promise<unknown>,
  signal: AbortSignal,
  now: () => number,
): Promise<Fetched> {
  const at = now();
  const answer = await ask(signal);
  if (!isKeySet(answer)) throw unavailable(new Error("the answer holds no `keys`"));
  return { select: createLocalJWKSet(answer), text: JSON.stringify(answer.keys), at };
}

function isKeySet(answer: unknown): answer is JSONWebKeySet {
  if (typeof answer !== "object" || answer === null || !("keys" in answer)) return false;
  const { keys } = answer;
  return Array.isArray(keys) && keys.every((key) => typeof key === "object" && key !== null);
}

/** Returns the keys that may verify the token; none if the set has only unsuitable keys. */
async function candidatesOf(
  { select }: Fetched,
  { alg, kid }: TokenHead,
): Promise<readonly VerificationKey[]> {
  try {
    return [await select({ alg, ...(kid !== undefined && { kid }) })];
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) return [];
    const keys: VerificationKey[] = [];
    for await (const key of error) {
      if (keys.push(key) === mostCandidates) break;
    }
    return keys;
  }
}

/** Returns an address for the log: its query may contain credentials. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, "").replace(/\/\/[^/@]*@/, "//");
}
