// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../../component/text.ts";
import type { ProxyServer } from "../../../requests/proxy.ts";
import type { Credentials } from "../../../requests/request.ts";

/**
 * Sends each message to a WebSocket server, as a binary frame.
 */
export interface WebsocketOutputOptions {
  /**
   * Address of the server. Interpolations are evaluated at each connection, before there is a message.
   */
  readonly url: Text;
  /**
   * Address of an HTTP or HTTPS proxy for the connections.
   */
  readonly proxy_url?: ProxyServer | undefined;
  /**
   * Headers of the request that opens a connection.
   */
  readonly headers?: Readonly<Record<string, Text>>;
  readonly tls?: Tls;
  /**
   * Signs the request that opens a connection with OAuth 1.0a (HMAC-SHA1).
   */
  readonly oauth?: Credentials | undefined;
  /**
   * Sends a user and password when a connection is opened.
   */
  readonly basic_auth?: Credentials | undefined;
  /**
   * Sends a token that is signed with a private key when a connection is opened.
   */
  readonly jwt?: Credentials | undefined;
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
export const websocketOutputDefaults = {
  tls: {
    enabled: false,
    skip_cert_verify: false,
    enable_renegotiation: false,
    root_cas: "",
    root_cas_file: "",
    client_certs: []
  }
} as const satisfies Partial<WebsocketOutputOptions>;
