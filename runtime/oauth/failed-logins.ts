// How often clients may fail to prove who they are: by the name they give, and by the address they come from.

import { isIPv6 } from "node:net";
import { BoundedCache } from "../bounded-cache.ts";
import { OauthError } from "./oauth-error.ts";

/** An attempt that counts as failed until it has succeeded. */
export interface LoginAttempt {
  succeeded(): void;
}

/** Counts in the memory of one process. */
export interface FailedLogins {
  /** Before the secret is looked at; a refusal where there were too many failures. */
  begin(client: string, address: string): LoginAttempt | OauthError;
}

/** Failures of one kind within a minute from the first. */
interface Failures {
  count: number;
  readonly since: number;
}

const period = 60_000;
const mostOfAddress = 20;
const mostOfClient = 100;
/** Names and addresses that are kept: what fails makes room for what failed longest ago. */
const mostKept = 10_000;
/** How long an address counts as the client's after a success, so that others cannot lock it out there. */
const trusted = 3_600_000;

/** `now` gives milliseconds. */
export function createFailedLogins(now: () => number = () => performance.now()): FailedLogins {
  const addresses = new BoundedCache<Failures>(mostKept, period, now);
  const clients = new BoundedCache<Failures>(mostKept, period, now);
  const successes = new BoundedCache<true>(mostKept, trusted, now);

  function failuresOf(kept: BoundedCache<Failures>, name: string): Failures {
    const present = kept.get(name);
    if (present !== undefined) return present;
    const failures = { count: 0, since: now() };
    kept.set(name, failures);
    return failures;
  }

  return {
    begin(client, address) {
      const network = networkOf(address);
      const pair = JSON.stringify([client, network]);
      const counted = [{ of: failuresOf(addresses, network), most: mostOfAddress }];
      if (!successes.get(pair)) counted.push({ of: failuresOf(clients, client), most: mostOfClient });
      const full = counted.find(({ of, most }) => of.count >= most);
      if (full !== undefined) return tooMany(full.of.since + period - now());
      for (const { of } of counted) of.count += 1;
      return {
        succeeded() {
          for (const { of } of counted) of.count -= 1;
          successes.set(pair, true);
        },
      };
    },
  };
}

/** Of IPv6 whoever has one address has all that share its first half. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [before = "", after] = address.toLowerCase().split("::");
  const first = before === "" ? [] : before.split(":");
  const last = after === undefined || after === "" ? [] : after.split(":");
  const zeros =
    after === undefined ? [] : Array<string>(Math.max(0, 8 - first.length - last.length)).fill("0");
  return [...first, ...zeros, ...last].slice(0, 4).join(":");
}

function tooMany(wait: number): OauthError {
  return new OauthError("temporarily_unavailable", "Too many failed logins", 429, {
    "retry-after": String(Math.max(1, Math.ceil(wait / 1000))),
  });
}
