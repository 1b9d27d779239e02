// The gateway's interface to the credentials of its callers. Keys are stored and found by their hash only.

import type { Eventually } from "../component/resource.ts";
import type { Trouble } from "../conditions/conditions.ts";
import type { Logger } from "../process/log.ts";
import type { MetricFamily } from "../process/metrics.ts";
import type { Store } from "../store/store.ts";
import type { KeyRecord, PolicyRecord } from "./records.ts";
import type { KeySession } from "./session.ts";

/** A key that was found. */
export interface FoundKey {
  readonly session: KeySession;
  /** The record of the key, for data that a scheme stores with it, such as secrets that sign requests. */
  readonly record: KeyRecord;
}

/**
 * The keys and policies of a gateway. Records may change while it runs; results are at most a second old. Methods
 * reject with a `GatewayError` if the store is not available, as it is then unknown whether a key exists.
 */
export interface Keys {
  /** Returns the key whose SHA-256 digest, in lower-case hexadecimal digits, is `hash` (`hashKey`). */
  findKey(hash: string): Eventually<FoundKey | undefined>;
  /** Returns the user of that name, whose record contains a password. */
  findUser(name: string): Eventually<FoundKey | undefined>;
  /**
   * Creates the session of a caller without a key of its own, such as the owner of a token, as for a key with this
   * record: `apply_policies` determines its rights. `id` identifies it in counters and must be at most the hash of the
   * credential.
   */
  createSession(id: string, record: KeyRecord): Eventually<KeySession>;
  /**
   * Returns the number of known changes: results from before the last one may be outdated. Absent if nothing changes.
   */
  countChanges?(): number;
  /** The policies that do not change while the gateway runs, by id; for code that issues keys. */
  readonly policies?: ReadonlyMap<string, PolicyRecord>;
  /** The reason why not all keys are available, for operators; `undefined` if they are. */
  readonly trouble?: Trouble | undefined;
  /** Returns metrics about the keys. */
  metrics?(): readonly MetricFamily[];
  /** Called once, before the gateway listens. Rejects with an `EnvironmentError` if a required store is missing. */
  start?(context: KeysContext): Promise<void>;
  /** Releases resources. No other method is called afterwards. */
  close?(): Promise<void>;
}

/** The dependencies of keys, available when the gateway starts. */
export interface KeysContext {
  readonly log: Logger;
  /** The store of changeable records; absent if the gateway has none. */
  readonly store?: Store;
  /** Milliseconds that known keys of the store stay valid while the store is not available. */
  readonly storeGrace: number;
  /** Aborted when the gateway closes. */
  readonly signal: AbortSignal;
}
