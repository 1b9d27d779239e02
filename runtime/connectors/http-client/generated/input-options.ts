// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { RateLimit } from "../../../component/resource.ts";
import type { Scanner } from "../../../component/scanner.ts";
import type { Text } from "../../../component/text.ts";
import type { NameTest } from "../../../message/name-filter.ts";
import type { ProxyServer } from "../../../requests/proxy.ts";
import type { HostTest } from "../../../requests/public-addresses.ts";
import type { Credentials } from "../../../requests/request.ts";

/**
 * Requests an address repeatedly. Each reply is one message.
 */
export interface HttpClientInputOptions {
  /**
   * URL to call.
   */
  readonly url: Text;
  /**
   * Servers that requests may be sent to, such as `api.example.com`, `api.example.com:8443` or `*.example.com`. A message can determine the server of `url` only if this list contains the servers it may choose.
   */
  readonly allowed_hosts?: HostTest | undefined;
  /**
   * HTTP method of the request.
   */
  readonly verb?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
  /**
   * Headers to add to those that the request always needs.
   */
  readonly headers?: Readonly<Record<string, Text>>;
  /**
   * Request body that replaces the message. Without it, requests of every method send the message, `GET` and `HEAD` included; an empty text sends no body.
   */
  readonly payload?: Text;
  /**
   * Timeout of one attempt.
   */
  readonly timeout?: number;
  /**
   * Maximum number of retries after the first attempt failed.
   */
  readonly retries?: number;
  /**
   * Delay before a retry, and the first delay if delays increase.
   */
  readonly retry_period?: number;
  /**
   * Maximum delay if delays increase.
   */
  readonly max_retry_backoff?: number;
  /**
   * Status codes after which the request is retried with a delay that doubles each time.
   */
  readonly backoff_on?: readonly number[];
  /**
   * Status codes that fail the request immediately, without a retry.
   */
  readonly drop_on?: readonly number[];
  /**
   * Status codes that count as success, in addition to 200 to 299.
   */
  readonly successful_on?: readonly number[];
  /**
   * Response headers that are added to the metadata of the message, with their names in lower case.
   */
  readonly extract_headers?: NameTest | undefined;
  /**
   * Interval from one request to the next, or the label of an entry of `rate_limit_resources`. Without it, the next request follows the last reply immediately.
   */
  readonly rate_limit?: number | RateLimit;
  /**
   * Whether replies without a body are skipped.
   */
  readonly drop_empty_bodies?: boolean;
  /**
   * Metadata of the message that is sent as request headers. `headers` takes precedence.
   */
  readonly metadata?: NameTest | undefined;
  /**
   * Level at which requests and responses are logged, without credentials; empty to disable.
   */
  readonly dump_request_log_level?: "" | "TRACE" | "DEBUG" | "INFO" | "WARN" | "ERROR" | "FATAL";
  /**
   * Signs each request with OAuth 1.0a and HMAC-SHA1.
   */
  readonly oauth?: Credentials | undefined;
  /**
   * Obtains a token with the OAuth 2.0 client credentials grant and sends it with each request. Obtains a new token if it expires or is refused.
   */
  readonly oauth2?: Credentials | undefined;
  /**
   * Sends a user name and password with each request.
   */
  readonly basic_auth?: Credentials | undefined;
  /**
   * Sends a JWT with each request, signed with a private key of the gateway.
   */
  readonly jwt?: Credentials | undefined;
  readonly tls?: Tls;
  /**
   * URL of an HTTP or HTTPS proxy for requests.
   */
  readonly proxy_url?: ProxyServer | undefined;
  readonly transport?: Transport;
  readonly stream?: Stream;
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
 * Options for opening and keeping connections.
 */
export interface Transport {
  readonly dial_context?: DialContext;
  /**
   * Maximum number of idle connections to one server that are kept for further requests; 0 for no limit.
   */
  readonly max_idle_connections?: number;
  /**
   * Time after which an unused connection is closed; `0s` for never.
   */
  readonly idle_connection_timeout?: number;
  /**
   * Timeout of the TLS handshake; `0s` for no limit.
   */
  readonly tls_handshake_timeout?: number;
  /**
   * Time that a request with the header `Expect: 100-continue` waits for permission to continue. After it, the body is sent anyway.
   */
  readonly expect_continue_timeout?: number;
}
/**
 * Options for opening connections.
 */
export interface DialContext {
  /**
   * Timeout for opening a connection; `0s` for no limit.
   */
  readonly timeout?: number;
  /**
   * Idle time before a keep-alive probe is sent; `0s` for the setting of the operating system.
   */
  readonly keep_alive?: number;
}
/**
 * Reads streamed replies that do not end. Each line is a message.
 */
export interface Stream {
  /**
   * Whether the reply is read as it arrives. Its body has no time limit then, and its head has 5 minutes, or `timeout` if that is longer.
   */
  readonly enabled?: boolean;
  /**
   * Whether the address is requested again when a reply ends. Otherwise the input ends with the reply.
   */
  readonly reconnect?: boolean;
  /**
   * Whether the reply consists of server-sent events (`text/event-stream`), each a message with the metadata `sse_event` and `sse_id`. The next request follows after the pause that the server asks for and names the last event that was confirmed. A server that answers 204 ends the input.
   */
  readonly events?: boolean;
  /**
   * Maximum size of an event in bytes. A larger event is skipped, which is logged.
   */
  readonly max_event_bytes?: number;
  /**
   * Scanner that splits the reply into messages; at the ends of lines by default.
   */
  readonly scanner?: Scanner;
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
export const httpClientInputDefaults = {
  verb: "GET",
  timeout: 5000,
  retries: 3,
  retry_period: 1000,
  max_retry_backoff: 300000,
  backoff_on: [
    429
  ],
  drop_on: [],
  successful_on: [],
  drop_empty_bodies: true,
  dump_request_log_level: "",
  tls: {
    enabled: false,
    skip_cert_verify: false,
    enable_renegotiation: false,
    root_cas: "",
    root_cas_file: "",
    client_certs: []
  },
  transport: {
    dial_context: {
      timeout: 30000,
      keep_alive: 30000
    },
    max_idle_connections: 100,
    idle_connection_timeout: 90000,
    tls_handshake_timeout: 10000,
    expect_continue_timeout: 1000
  },
  stream: {
    enabled: false,
    reconnect: true,
    events: false,
    max_event_bytes: 1048576
  },
  auto_replay_nacks: true
} as const satisfies Partial<HttpClientInputOptions>;
