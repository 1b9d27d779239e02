// What the gateway knows of its callers' credentials, as protections ask for it. Credentials themselves are nowhere:
// a key is found by its hash.

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
  /** As it was recorded: for what a scheme keeps beside its keys, such as secrets that sign requests. */
  readonly record: KeyRecord;
}

/**
 * The keys and policies of a gateway. Records may change while it runs: what is found is at most a second old. Asking
 * rejects with a `GatewayError` when that is unknown; nothing is known then, not even that there is no such key.
 */
export interface Keys {
  /** The key whose SHA-256, in lower-case hexadecimal digits, is `hash` (`hashKey`). */
  findKey(hash: string): Eventually<FoundKey | undefined>;
  /** The user of that name, whose record holds a password. */
  findUser(name: string): Eventually<FoundKey | undefined>;
  /**
   * The session of a caller that no key stands for, such as the owner of a token, made as that of a key with this
   * record would be: `apply_policies` gives its rights. `id` names it in counters and is the credential's hash at most.
   */
  createSession(id: string, record: KeyRecord): Eventually<KeySession>;
  /** How many changes of records are known: what was found before the last of them may not hold. Absent: none changes. */
  countChanges?(): number;
  /** The policies that stay the same as long as the gateway runs, by id; for code that issues keys. */
  readonly policies?: ReadonlyMap<string, PolicyRecord>;
  /** Why not all keys are known, for operators; `undefined` while all is well. */
  readonly trouble?: Trouble | undefined;
  /** Metrics about them. */
  metrics?(): readonly MetricFamily[];
  /** Called once, before the gateway listens; rejects with a `GatewayError` where there is something that is not there. */
  start?(context: KeysContext): Promise<void>;
  /** No question comes any more. */
  close?(): Promise<void>;
}

/** What keys are given when the gateway starts. */
export interface KeysContext {
  readonly log: Logger;
  /** Where records are kept that change; absent where the gateway has no store. */
  readonly store?: Store;
  /** Milliseconds that keys of the store which are known go on while the store is away. */
  readonly storeGrace: number;
  /** Aborted when the gateway closes. */
  readonly signal: AbortSignal;
}
