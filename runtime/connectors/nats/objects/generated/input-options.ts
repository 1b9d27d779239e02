// Generated from the schema by scripts/generate-options.ts. Do not edit.

/**
 * Watches a NATS object store bucket: first the existing objects, then each object that is stored. Each start begins with the existing objects.
 */
export interface NatsObjectStoreInputOptions {
  /**
   * Addresses of the servers. A user and password, or a token, may stand in them; `tls://` encrypts.
   */
  readonly urls: readonly string[];
  /**
   * Bucket to watch.
   */
  readonly bucket: string;
  /**
   * Whether an object that could not be delivered is retried until it is delivered. Otherwise it is dropped, and the drop is logged.
   */
  readonly auto_replay_nacks?: boolean;
  readonly tls?: Tls;
  readonly auth?: NatsAuth;
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
 * Proves who we are by a key; a user and password or a token stand in the address.
 */
export interface NatsAuth {
  /**
   * File with the seed of an NKey.
   */
  readonly nkey_file?: string;
  /**
   * File with the JWT of a user and its seed.
   */
  readonly user_credentials_file?: string;
  /**
   * JWT of a user, with `user_nkey_seed`.
   */
  readonly user_jwt?: string;
  /**
   * Seed of the NKey that `user_jwt` names.
   */
  readonly user_nkey_seed?: string;
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
export const natsObjectStoreInputDefaults = {
  auto_replay_nacks: true,
  tls: {
    enabled: false,
    skip_cert_verify: false,
    enable_renegotiation: false,
    root_cas: "",
    root_cas_file: "",
    client_certs: []
  },
  auth: {
    nkey_file: "",
    user_credentials_file: "",
    user_jwt: "",
    user_nkey_seed: ""
  }
} as const satisfies Partial<NatsObjectStoreInputOptions>;
