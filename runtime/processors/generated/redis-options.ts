// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../component/text.ts";
import type { MappingFunction } from "../../processors/functions.ts";

/**
 * Sends a command to Redis for each message and replaces the message with the reply, as JSON.
 */
export interface RedisOptions {
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
   * Command to send. A computed command must be listed in `allowed_commands`. Commands that change the state of the connection or block it are refused.
   */
  readonly command?: Text;
  /**
   * Mapping that returns the array of the command's arguments. Arguments that are patterns, queries or programs must be literal texts in the mapping.
   */
  readonly args_mapping?: MappingFunction;
  /**
   * Commands that are allowed for a computed `command`. If messages also choose a subcommand, include it: `config get`.
   */
  readonly allowed_commands?: readonly string[];
  /**
   * Deprecated form of `command`: the command with `key` as argument, and also the content of the message for `sadd` and `incrby`.
   */
  readonly operator?: "keys" | "scard" | "sadd" | "incrby";
  /**
   * Key for `operator`; for `keys` a pattern in which `*` matches any characters, `?` matches one, and `[…]` matches one of those listed.
   */
  readonly key?: Text;
  /**
   * Allows values of messages and requests to contain wildcards where Redis reads patterns, and to be queries. Clients can then choose what they read. Otherwise such a message fails.
   */
  readonly allow_wildcards?: boolean;
  /**
   * Maximum number of retries after the first attempt.
   */
  readonly retries?: number;
  /**
   * Delay between attempts.
   */
  readonly retry_period?: number;
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
export const redisDefaults = {
  kind: "simple",
  tls: {
    enabled: false,
    skip_cert_verify: false,
    enable_renegotiation: false,
    root_cas: "",
    root_cas_file: "",
    client_certs: []
  },
  allowed_commands: [],
  allow_wildcards: false,
  retries: 3,
  retry_period: 500
} as const satisfies Partial<RedisOptions>;
