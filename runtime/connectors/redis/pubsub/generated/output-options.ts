// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../../../component/component.ts";
import type { Text } from "../../../../component/text.ts";
import type { QueryFunction } from "../../../../processors/functions.ts";

/**
 * Publishes each message to a Redis channel. Redis does not say whether a subscriber got it.
 */
export interface RedisPubsubOutputOptions {
  /**
   * Address of the server; several with commas for a cluster or for sentinels. A user and password may stand in it, and the number of a database as its path; `rediss://` encrypts.
   */
  readonly url: string;
  /**
   * What is at the address: one server, a cluster, or sentinels that know which server leads (`failover`).
   */
  readonly kind?: "simple" | "cluster" | "failover";
  /**
   * Name under which the sentinels know the servers.
   */
  readonly master?: string;
  readonly tls?: Tls;
  /**
   * Channel to publish to.
   */
  readonly channel: Text;
  /**
   * Maximum number of batches in flight.
   */
  readonly max_in_flight?: number;
  readonly batching?: Batching;
}
/**
 * Encrypts the connection; the server has to prove who it is.
 */
export interface Tls {
  /**
   * Whether the connection is encrypted as this block says.
   */
  readonly enabled?: boolean;
  /**
   * Accepts any certificate. Others on the network path can then read and change what is sent.
   */
  readonly skip_cert_verify?: boolean;
  /**
   * Lets the server ask for another handshake in an open connection; Node has no such switch.
   */
  readonly enable_renegotiation?: boolean;
  /**
   * Certificates of the authorities to trust, in PEM, in place of the well-known ones.
   */
  readonly root_cas?: string;
  /**
   * File with the certificates of the authorities to trust, in PEM. Read again when it changes.
   */
  readonly root_cas_file?: string;
  /**
   * Certificates that prove to the server who we are, each with its key: both as text or both as files. Files are read again when they change; new connections show what they hold.
   */
  readonly client_certs?: readonly TlsClientCertificate[];
}
/**
 * Collects messages into larger batches. Each is acknowledged when the batch it went into is.
 */
export interface Batching {
  /**
   * Messages that complete a batch; 0 for any number.
   */
  readonly count?: number;
  /**
   * Bytes of content that complete a batch; 0 for any number.
   */
  readonly byte_size?: number;
  /**
   * How long after its first message a batch is complete; empty for any time.
   */
  readonly period?: number;
  /**
   * Up to which share of `period` is added to it, at random.
   */
  readonly jitter?: number;
  /**
   * Query that says whether a message is the last of its batch.
   */
  readonly check?: QueryFunction;
  /**
   * What runs on complete batches.
   */
  readonly processors?: readonly Processor[];
}
/**
 * A certificate and its key.
 */
export interface TlsClientCertificate {
  /**
   * The certificate, in PEM.
   */
  readonly cert?: string;
  /**
   * Its key, in PEM.
   */
  readonly key?: string;
  /**
   * File with the certificate, in PEM.
   */
  readonly cert_file?: string;
  /**
   * File with its key, in PEM.
   */
  readonly key_file?: string;
  /**
   * Password of the key, where it is encrypted.
   */
  readonly password?: string;
}

/** What the fields hold that a document leaves out. */
export const redisPubsubOutputDefaults = {
  kind: "simple",
  tls: {
    enabled: false,
    skip_cert_verify: false,
    enable_renegotiation: false,
    root_cas: "",
    root_cas_file: "",
    client_certs: []
  },
  max_in_flight: 64,
  batching: {
    count: 0,
    byte_size: 0,
    period: 0,
    jitter: 0,
    processors: []
  }
} as const satisfies Partial<RedisPubsubOutputOptions>;
