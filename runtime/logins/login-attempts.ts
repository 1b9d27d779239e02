// Limits wrong guesses: per address, and per account and address. There is no limit per account alone, so that
// strangers cannot lock an account.

import { hash } from "node:crypto";
import { isIPv6 } from "node:net";
import { BoundedCache } from "../concurrency/bounded-cache.ts";
import type { PasswordClient } from "../keys/password-work.ts";

/** An attempt, which counts as wrong unless one of its methods is called. */
export interface LoginAttempt extends PasswordClient {
  /** Reports that the secret was right: the attempt does not count, and the address is remembered for the account. */
  right(): void;
  /** Reports that nothing was verified: the attempt does not count. */
  unverified(): void;
}

/** Counts attempts in the memory of a process, whether or not the account exists. */
export interface LoginAttempts {
  /**
   * Called before a secret is verified, so that concurrent guesses count. Returns the seconds to wait after too many.
   */
  begin(account: string, address: string): LoginAttempt | number;
  /** Returns the seconds that `begin` would return, 0 if an attempt is allowed. Counts nothing. */
  wait(account: string, address: string): number;
}

/** The limits. Beyond them, nothing is verified until the period ends. */
export interface LoginLimits {
  /** The length of the period in milliseconds, from the first wrong guess. */
  readonly period: number;
  /** The maximum number of wrong guesses for an account from an address. */
  readonly ofAccount: number;
  /** The maximum number of wrong guesses from an address, for any account. */
  readonly ofAddress: number;
}

/** Wrong guesses from an address within a period. */
interface Failures {
  readonly since: number;
  count: number;
  /** The number per account. There are at most as many accounts as guesses. */
  readonly accounts: Map<string, number>;
}

/**
 * The maximum number of remembered addresses, and of those that are locked. Each address needs a guess of its own to be
 * remembered, so evicting one costs more guesses than that one had left.
 */
const mostKept = 10_000;
/**
 * Milliseconds that an address is remembered for an account after a success: only guesses for the account count there.
 */
const trusted = 3_600_000;
/**
 * The maximum number of networks that are remembered for an account. With one limit for all accounts, somebody who logs
 * in to an account of their own from many networks would have those of other accounts forgotten.
 */
const mostNetworks = 16;

/** Creates a counter of attempts. `now` returns milliseconds. */
export function createLoginAttempts(
  { period, ofAccount, ofAddress }: LoginLimits,
  now: () => number = () => performance.now(),
): LoginAttempts {
  const guessing = new BoundedCache<Failures>(mostKept, period, now);
  const locked = new BoundedCache<Failures>(mostKept, period, now);
  const successes = new BoundedCache<BoundedCache<true>>(mostKept, trusted, now);

  function failuresOf(network: string): Failures {
    const present = locked.get(network) ?? guessing.get(network);
    if (present !== undefined && present.since + period > now()) return present;
    const failures = { since: now(), count: 0, accounts: new Map<string, number>() };
    guessing.set(network, failures);
    return failures;
  }

  /** Whether somebody has logged in to an account from a network recently. */
  function isKnownTo(name: string, network: string): boolean {
    return successes.get(name)?.get(network) === true;
  }

  /** Returns the seconds until the account may be guessed again from a network; 0 for now. */
  function waitFor(failures: Failures, name: string, isKnown: boolean): number {
    const ofName = failures.accounts.get(name) ?? 0;
    const isFull = ofName >= ofAccount || (failures.count >= ofAddress && !isKnown);
    return isFull ? Math.max(1, Math.ceil((failures.since + period - now()) / 1000)) : 0;
  }

  return {
    wait(account, address) {
      const network = networkOf(address);
      const failures = locked.get(network);
      if (failures === undefined || failures.since + period <= now()) return 0;
      const name = nameOf(account);
      return waitFor(failures, name, isKnownTo(name, network));
    },
    begin(account, address) {
      const network = networkOf(address);
      const name = nameOf(account);
      const failures = failuresOf(network);
      const isKnown = isKnownTo(name, network);
      const wait = waitFor(failures, name, isKnown);
      if (wait > 0) return wait;
      const ofName = failures.accounts.get(name) ?? 0;
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
          const networks = successes.get(name) ?? new BoundedCache<true>(mostNetworks, trusted, now);
          networks.set(network, true);
          successes.set(name, networks);
        },
        unverified: undo,
      };
    },
  };
}

/** Names from callers may have any length, hashes have a fixed one. */
function nameOf(account: string): string {
  return hash("sha256", account, "base64");
}

/** Returns the network of an address. The owner of an IPv6 address has all addresses that share its first half. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [before = "", after] = address.toLowerCase().split("::");
  const first = before === "" ? [] : before.split(":");
  const last = after === undefined || after === "" ? [] : after.split(":");
  const zeros =
    after === undefined ? [] : Array<string>(Math.max(0, 8 - first.length - last.length)).fill("0");
  return [...first, ...zeros, ...last].slice(0, 4).join(":");
}
