// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Reads Redis streams as a member of a consumer group. An entry is acknowledged once it is delivered; the other fields of an entry become metadata.
 */
export interface RedisStreamsInputOptions {
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
