// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../../../component/text.ts";

/**
 * Sets fields of a Redis hash for each message. The sources are applied in this order: metadata, the document, then `fields`. A later source replaces fields of the same name.
 */
export interface RedisHashOutputOptions {
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
   * Key of the hash.
   */
  readonly key: Text;
  /**
   * Whether each piece of metadata becomes a field.
   */
  readonly walk_metadata?: boolean;
  /**
   * Whether each field of the document becomes a field; objects and arrays become JSON.
   */
  readonly walk_json_object?: boolean;
  /**
   * Fields to set.
   */
  readonly fields?: Readonly<Record<string, Text>>;
  /**
   * Maximum number of batches in flight.
   */
  readonly max_in_flight?: number;
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
export const redisHashOutputDefaults = {
  kind: "simple",
  tls: {
    enabled: false,
    skip_cert_verify: false,
    enable_renegotiation: false,
    root_cas: "",
    root_cas_file: "",
    client_certs: []
  },
  walk_metadata: false,
  walk_json_object: false,
  max_in_flight: 64
} as const satisfies Partial<RedisHashOutputOptions>;
