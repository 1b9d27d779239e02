// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Limits the number of messages or requests in each interval, counted in Redis for all gateways that use the same key.
 */
export interface RedisRateLimitOptions {
  /**
   * URL of the server, or several separated by commas for a cluster or for sentinels. It may contain a user and password, and a database number as its path; `rediss://` encrypts the connection.
   */
  readonly url: string;
  /**
   * Deployment at the address: a single server, a cluster, or sentinels that know the current master (`failover`).
   */
  readonly kind?: "simple" | "cluster" | "failover";
  /**
   * Name of the master in the configuration of the sentinels.
   */
  readonly master?: string;
  readonly tls?: Tls;
  /**
   * Number of messages or requests that are allowed in each interval.
   */
  readonly count?: number;
  /**
   * Length of an interval. It starts with the first message after the previous interval.
   */
  readonly interval?: number;
  /**
   * Redis key of the counter.
   */
  readonly key: string;
}
/**
 * Encrypts the connection with TLS and verifies the certificate of the server.
 */
export interface Tls {
  /**
   * Enables TLS with the options of this block.
   */
  readonly enabled?: boolean;
  /**
   * Accepts any server certificate. Others on the network path can then read and change the traffic.
   */
  readonly skip_cert_verify?: boolean;
  /**
   * Allows the server to request TLS renegotiation. Node.js has no such option.
   */
  readonly enable_renegotiation?: boolean;
  /**
   * Certificates of the trusted certificate authorities, in PEM format. They replace the well-known authorities.
   */
  readonly root_cas?: string;
  /**
   * File with the certificates of the trusted certificate authorities, in PEM format. It is read again when it changes.
   */
  readonly root_cas_file?: string;
  /**
   * Client certificates that are presented to the server, each with its key: both as text or both as files. Files are read again when they change, and new connections use the new content.
   */
  readonly client_certs?: readonly TlsClientCertificate[];
}
/**
 * A certificate and its key.
 */
export interface TlsClientCertificate {
  /**
   * Certificate, in PEM format.
   */
  readonly cert?: string;
  /**
   * Private key, in PEM format.
   */
  readonly key?: string;
  /**
   * File with the certificate, in PEM format.
   */
  readonly cert_file?: string;
  /**
   * File with the private key, in PEM format.
   */
  readonly key_file?: string;
  /**
   * Password of the private key, if the key is encrypted.
   */
  readonly password?: string;
}

/** What the fields hold that a document leaves out. */
export const redisRateLimitDefaults = {
  kind: "simple",
  tls: {
    enabled: false,
    skip_cert_verify: false,
    enable_renegotiation: false,
    root_cas: "",
    root_cas_file: "",
    client_certs: []
  },
  count: 1000,
  interval: 1000
} as const satisfies Partial<RedisRateLimitOptions>;
