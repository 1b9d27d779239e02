// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../component/text.ts";
import type { NameTest } from "../../message/name-filter.ts";

/**
 * Sends each message as a request to a NATS subject and replaces it with the reply. Headers of the reply become metadata.
 */
export interface NatsRequestReplyOptions {
  /**
   * URLs of the servers. A URL may contain a user and password, or a token; `tls://` encrypts the connection.
   */
  readonly urls: readonly string[];
  /**
   * Subject to send to.
   */
  readonly subject: Text;
  /**
   * Prefix of the subjects for replies.
   */
  readonly inbox_prefix?: string;
  /**
   * Headers of the published message.
   */
  readonly headers?: Readonly<Record<string, Text>>;
  /**
   * Metadata that is sent as headers of the same name. `headers` takes precedence.
   */
  readonly metadata?: NameTest | undefined;
  /**
   * Timeout for a reply.
   */
  readonly timeout?: number;
  readonly tls?: Tls;
  readonly auth?: NatsAuth;
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
 * Authenticates the gateway with a key. A user and password or a token are part of the URL instead.
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
   * JWT of a user. Requires `user_nkey_seed`.
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
export const natsRequestReplyDefaults = {
  timeout: 3000,
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
} as const satisfies Partial<NatsRequestReplyOptions>;
