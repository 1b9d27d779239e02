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
