// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Subscribes to Redis channels. Redis does not store messages: those published while no gateway is subscribed are lost.
 */
export interface RedisPubsubInputOptions {
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
   * Channels to subscribe to.
   */
  readonly channels: readonly string[];
  /**
   * Whether `channels` are patterns: `*` stands for any characters, `?` for one, `[…]` for one of those listed, and `\` takes the next one literally.
   */
  readonly use_patterns?: boolean;
  /**
   * Whether values of requests in `channels` may contain wildcards, which let clients choose what they read. Otherwise such a request gets 400.
   */
  readonly allow_wildcards?: boolean;
  /**
   * Whether a message that could not be delivered is retried until it is delivered. Otherwise it is dropped, and the drop is logged.
   */
  readonly auto_replay_nacks?: boolean;
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
export const redisPubsubInputDefaults = {
  kind: "simple",
  tls: {
    enabled: false,
    skip_cert_verify: false,
    enable_renegotiation: false,
    root_cas: "",
    root_cas_file: "",
    client_certs: []
  },
  use_patterns: false,
  allow_wildcards: false,
  auto_replay_nacks: true
} as const satisfies Partial<RedisPubsubInputOptions>;
