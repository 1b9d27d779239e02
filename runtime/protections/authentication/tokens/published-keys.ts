// Keys that an issuer publishes (RFC 7517, section 5): fetched, kept for a time, fetched again when it rotates them.

import { createLocalJWKSet, errors, type JSONWebKeySet } from "jose";
import { type Backoff, createBackoff } from "../../../concurrency/backoff.ts";
import type { Logger } from "../../../process/log.ts";
import { askIssuer, unavailable } from "./issuer-requests.ts";
import type { TokenHead, TokenKeys, VerificationKey } from "./token-keys.ts";

/** Where the keys are and how long they hold. */
export interface PublishedKeysOptions {
  readonly url: string;
  /** Milliseconds that fetched keys are trusted; from half of it on they are fetched again beside requests. */
  readonly lifetime?: number;
  /** Milliseconds between two fetches, however many unknown keys are asked for. */
  readonly cooldown?: number;
  /** Asks for what is at `url`; as `askIssuer` by default. */
  readonly ask?: (signal: AbortSignal) => Promise<unknown>;
}

/** Keys of an address, which may be looked for once more. */
export interface PublishedKeys extends TokenKeys {
  /**
   * Fetches the keys again, at most every `cooldown`, because those that are there have not signed a token. Whether they
   * have changed.
   */
  search(): Promise<boolean>;
}

/** What the keys are fetched with. */
export interface PublishedKeysContext {
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Called when what was fetched is not what was there before. */
  readonly keysChanged?: (() => void) | undefined;
  /** By default the monotonic clock; milliseconds. */
  readonly now?: () => number;
}

interface Fetched {
  readonly select: ReturnType<typeof createLocalJWKSet>;
  /** The set as it came. */
  readonly text: string;
  readonly at: number;
}

/** Milliseconds between fetches that fail: once what was fetched is too old, all callers are refused meanwhile. */
export const fetchPauses = { first: 500, longest: 5_000 };

/** Of keys that no name tells apart, how many are tried: each costs the same as a token that holds. */
const mostCandidates = 8;

/**
 * The keys of one address. Nothing is fetched before it is needed. A key with an unknown name has them fetched once
 * more, at most every `cooldown`; while the issuer does not answer, what was fetched holds until its time is over.
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
  /** After a fetch that failed. */
  let notBefore = Number.NEGATIVE_INFINITY;
  /** When keys were last fetched for one that was not among them. */
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

  /** Never rejects. */
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

  /** Whether the keys were fetched once more, or are being so. */
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

/** The keys of several addresses as one set; one that cannot be had matters where no other has the key. */
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

/** Keys that are unfit, too, are none. */
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

/** For the log: queries of addresses may hold credentials. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, "").replace(/\/\/[^/@]*@/, "//");
}
