// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Reads Redis streams as a member of a consumer group. An entry is acknowledged once it is delivered; the other fields of an entry become metadata.
 */
export interface RedisStreamsInputOptions {
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
   * Field of an entry that holds the content of the message.
   */
  readonly body_key?: string;
  /**
   * Streams to read from.
   */
  readonly streams: readonly string[];
  /**
   * Whether a message that could not be delivered is retried until it is delivered. Otherwise it is dropped, and the drop is logged.
   */
  readonly auto_replay_nacks?: boolean;
  /**
   * Maximum number of entries that one request returns.
   */
  readonly limit?: number;
  /**
   * Name of this consumer within the group. With a name of its own, each gateway first reads the entries that it did not acknowledge before; without one it gets a new name at each start.
   */
  readonly client_id?: string;
  /**
   * Group whose members share the entries.
   */
  readonly consumer_group: string;
  /**
   * Whether streams are created that do not exist; otherwise the start fails.
   */
  readonly create_streams?: boolean;
  /**
   * Whether a new group begins with the oldest entry; otherwise with those added from now on.
   */
  readonly start_from_oldest?: boolean;
  /**
   * How often acknowledgements are sent; 0 sends each at once.
   */
  readonly commit_period?: number;
  /**
   * Maximum time that one request waits for an entry.
   */
  readonly timeout?: number;
  /**
   * Time after which entries that another consumer of the group has not acknowledged are claimed; 0 claims none. Entries that a gateway is still delivering do not count as idle.
   */
  readonly claim_idle?: number;
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
export const redisStreamsInputDefaults = {
  kind: "simple",
  tls: {
    enabled: false,
    skip_cert_verify: false,
    enable_renegotiation: false,
    root_cas: "",
    root_cas_file: "",
    client_certs: []
  },
  body_key: "body",
  auto_replay_nacks: true,
  limit: 10,
  client_id: "",
  create_streams: true,
  start_from_oldest: true,
  commit_period: 1000,
  timeout: 1000,
  claim_idle: 60000
} as const satisfies Partial<RedisStreamsInputOptions>;
