// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../component/text.ts";
import type { MappingFunction } from "../../processors/functions.ts";

/**
 * Sends a command to Redis for each message and puts the reply, as JSON, in its place.
 */
export interface RedisOptions {
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
   * Command to send. One that is computed has to be in `allowed_commands`; commands that change the state of the connection or block it are refused.
   */
  readonly command?: Text;
  /**
   * Mapping that makes the array of the command's arguments. Patterns, queries and programs among them are texts that the mapping writes out.
   */
  readonly args_mapping?: MappingFunction;
  /**
   * Commands that a computed `command` may be. Where messages choose a subcommand as well, with it: `config get`.
   */
  readonly allowed_commands?: readonly string[];
  /**
   * Older form of `command`: the command with `key`, and for `sadd` and `incrby` the content of the message, as arguments.
   */
  readonly operator?: "keys" | "scard" | "sadd" | "incrby";
  /**
   * Key for `operator`; for `keys` a pattern, in which `*` stands for any characters, `?` for one, `[…]` for one of those listed.
   */
  readonly key?: Text;
  /**
   * Whether values of messages and requests may contain wildcards where Redis reads patterns, and be queries, with which clients choose what they read; otherwise such a message fails.
   */
  readonly allow_wildcards?: boolean;
  /**
   * Attempts after the first.
   */
  readonly retries?: number;
  /**
   * Pause between attempts.
   */
  readonly retry_period?: number;
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
