// Limits wrong guesses: by the address they come from, and by account and address together. Nothing counts for
// an account alone, so that strangers cannot lock an account out.

import { hash } from "node:crypto";
import { isIPv6 } from "node:net";
import { BoundedCache } from "../concurrency/bounded-cache.ts";
import type { PasswordClient } from "../keys/password-work.ts";

/** An attempt that counts as wrong until it ends otherwise. */
export interface LoginAttempt extends PasswordClient {
  /** The secret was right: the attempt does not count, and the address is one of the account's. */
  right(): void;
  /** Nothing was verified: the attempt does not count. */
  unverified(): void;
}

/** Counts in the memory of one process, whether there is such an account or not. */
export interface LoginAttempts {
  /** Before a secret is verified, so that many at once are no way round it; seconds to wait where there were too many. */
  begin(account: string, address: string): LoginAttempt | number;
}

/** What is let through; beyond it, nothing is verified until the period is over. */
export interface LoginLimits {
  /** Milliseconds, from the first wrong guess. */
  readonly period: number;
  /** Wrong guesses of one account from one address. */
  readonly ofAccount: number;
  /** Wrong guesses from one address, whatever the account. */
  readonly ofAddress: number;
}

/** Wrong guesses from one address within a period. */
interface Failures {
  readonly since: number;
  count: number;
  /** By account; there are no more of them than guesses. */
  readonly accounts: Map<string, number>;
}

/**
 * Addresses that are kept, and as many that may not guess any more. Each takes a guess of its own to be there, so that
 * to have one forgotten costs more guesses than it had left.
 */
const mostKept = 10_000;
/** Milliseconds for which an address counts as the account's after a success: only guesses of that account count there. */
const trusted = 3_600_000;

/** `now` gives milliseconds. */
export function createLoginAttempts(
  { period, ofAccount, ofAddress }: LoginLimits,
  now: () => number = () => performance.now(),
): LoginAttempts {
  const guessing = new BoundedCache<Failures>(mostKept, period, now);
  const locked = new BoundedCache<Failures>(mostKept, period, now);
  const successes = new BoundedCache<true>(mostKept, trusted, now);

  function failuresOf(network: string): Failures {
    const present = locked.get(network) ?? guessing.get(network);
    if (present !== undefined && present.since + period > now()) return present;
    const failures = { since: now(), count: 0, accounts: new Map<string, number>() };
    guessing.set(network, failures);
    return failures;
  }

  return {
    begin(account, address) {
      const network = networkOf(address);
      // Of one length: names from callers may be of any length.
      const name = hash("sha256", account, "base64");
      const pair = `${name} ${network}`;
      const failures = failuresOf(network);
      const ofName = failures.accounts.get(name) ?? 0;
      const isKnown = successes.get(pair) !== undefined;
      const isFull = ofName >= ofAccount || (failures.count >= ofAddress && !isKnown);
      if (isFull) return Math.max(1, Math.ceil((failures.since + period - now()) / 1000));
      failures.count += 1;
      failures.accounts.set(name, ofName + 1);
      if (failures.count === ofAddress || ofName + 1 === ofAccount) locked.set(network, failures);
      const undo = () => {
        failures.count -= 1;
        const left = (failures.accounts.get(name) ?? 0) - 1;
        if (left > 0) failures.accounts.set(name, left);
        else failures.accounts.delete(name);
      };
      return {
        network,
        isKnown,
        right() {
          undo();
          successes.set(pair, true);
        },
        unverified: undo,
      };
    },
  };
}

/** The owner of one IPv6 address has all that share its first half. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [before = "", after] = address.toLowerCase().split("::");
  const first = before === "" ? [] : before.split(":");
  const last = after === undefined || after === "" ? [] : after.split(":");
  const zeros =
    after === undefined ? [] : Array<string>(Math.max(0, 8 - first.length - last.length)).fill("0");
  return [...first, ...zeros, ...last].slice(0, 4).join(":");
}
