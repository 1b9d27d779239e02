// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Pops values from a Redis list. Until it is delivered, a popped value exists only in this process; `processing_key` keeps it in Redis as well.
 */
export interface RedisListInputOptions {
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
   * List to read from.
   */
  readonly key: string;
  /**
   * Whether a message that could not be delivered is retried until it is delivered. Otherwise it is dropped, and the drop is logged.
   */
  readonly auto_replay_nacks?: boolean;
  /**
   * Maximum number of values that are popped and not delivered yet; 0 means 1024.
   */
  readonly max_in_flight?: number;
  /**
   * Maximum time that one request waits for a value.
   */
  readonly timeout?: number;
  /**
   * End of the list to pop from: `blpop` takes its first value, `brpop` its last.
   */
  readonly command?: "blpop" | "brpop";
  /**
   * List that holds the values that are popped and not delivered yet. A crash loses none of them: the next start delivers them first. Each gateway needs a list of its own.
   */
  readonly processing_key?: string;
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
export const redisListInputDefaults = {
  kind: "simple",
  tls: {
    enabled: false,
    skip_cert_verify: false,
    enable_renegotiation: false,
    root_cas: "",
    root_cas_file: "",
    client_certs: []
  },
  auto_replay_nacks: true,
  max_in_flight: 0,
  timeout: 5000,
  command: "blpop",
  processing_key: ""
} as const satisfies Partial<RedisListInputOptions>;
