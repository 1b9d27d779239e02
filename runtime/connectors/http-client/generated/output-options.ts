// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Processor } from "../../../component/component.ts";
import type { RateLimit } from "../../../component/resource.ts";
import type { Text } from "../../../component/text.ts";
import type { NameTest } from "../../../message/name-filter.ts";
import type { QueryFunction } from "../../../processors/functions.ts";
import type { ProxyServer } from "../../../requests/proxy.ts";
import type { HostTest } from "../../../requests/public-addresses.ts";
import type { Credentials } from "../../../requests/request.ts";

/**
 * Sends each message as a request to an address. A reply with a status from 200 to 299 confirms the message.
 */
export interface HttpClientOutputOptions {
  /**
   * Address to call.
   */
  readonly url: Text;
  /**
   * Servers that requests may go to, as `api.example.com`, `api.example.com:8443` or `*.example.com`. A message has a say in the server of `url` only where this names those it may choose.
   */
  readonly allowed_hosts?: HostTest | undefined;
  /**
   * Method of the request.
   */
  readonly verb?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
  /**
   * Headers to send besides those the request needs anyway.
   */
  readonly headers?: Readonly<Record<string, Text>>;
  /**
   * Body of the request in place of the message.
   */
  readonly payload?: Text;
  /**
   * Longest time one attempt may take.
   */
  readonly timeout?: number;
  /**
   * Attempts after the first one failed.
   */
  readonly retries?: number;
  /**
   * Pause before the next attempt, and the first pause where pauses grow.
   */
  readonly retry_period?: number;
  /**
   * Longest pause where pauses grow.
   */
  readonly max_retry_backoff?: number;
  /**
   * Status codes that are tried again after a pause that doubles each time.
   */
  readonly backoff_on?: readonly number[];
  /**
   * Status codes that count as failure at once, without another attempt.
   */
  readonly drop_on?: readonly number[];
  /**
   * Status codes that count as success besides 200 to 299.
   */
  readonly successful_on?: readonly number[];
  /**
   * Headers of the reply that become metadata of the message, by their name in lower case.
   */
  readonly extract_headers?: NameTest | undefined;
  /**
   * Label of an entry of `rate_limit_resources` that limits the requests.
   */
  readonly rate_limit?: RateLimit;
  /**
   * Maximum number of requests in flight; 1 keeps the order of messages.
   */
  readonly max_in_flight?: number;
  readonly batching?: Batching;
  /**
   * Metadata of the message that become headers of the request; those that `headers` names stay as it says.
   */
  readonly metadata?: NameTest | undefined;
  /**
   * Level at which requests and replies are logged, without credentials; empty for none.
   */
  readonly dump_request_log_level?: "" | "TRACE" | "DEBUG" | "INFO" | "WARN" | "ERROR" | "FATAL";
  /**
   * Signs each request by OAuth 1.0a, with HMAC-SHA1.
   */
  readonly oauth?: Credentials | undefined;
  /**
   * Fetches a token by OAuth 2.0 client credentials and sends it with each request; a new one when it runs out or is refused.
   */
  readonly oauth2?: Credentials | undefined;
  /**
   * Sends a user and password with each request.
   */
  readonly basic_auth?: Credentials | undefined;
  /**
   * Sends a token with each request that is signed by a key of ours.
   */
  readonly jwt?: Credentials | undefined;
  readonly tls?: Tls;
  /**
   * Address of a proxy that requests go through, by HTTP or HTTPS.
   */
  readonly proxy_url?: ProxyServer | undefined;
  readonly transport?: Transport;
  /**
   * Whether a batch of several messages is sent as one multipart request with a part for each message.
   */
  readonly batch_as_multipart?: boolean;
  /**
   * Whether the reply is returned to the caller that waits at the input.
   */
  readonly propagate_response?: boolean;
  /**
   * Parts of a multipart body that is sent in place of the message.
   */
  readonly multipart?: readonly HttpPart[];
}
/**
 * Collects messages into larger batches. Each is acknowledged when the batch it went into is.
 */
export interface Batching {
  /**
   * Messages that complete a batch; 0 for any number.
   */
  readonly count?: number;
  /**
   * Bytes of content that complete a batch; 0 for any number.
   */
  readonly byte_size?: number;
  /**
   * How long after its first message a batch is complete; empty for any time.
   */
  readonly period?: number;
  /**
   * Up to which share of `period` is added to it, at random.
   */
  readonly jitter?: number;
  /**
   * Query that says whether a message is the last of its batch.
   */
  readonly check?: QueryFunction;
  /**
   * What runs on complete batches.
   */
  readonly processors?: readonly Processor[];
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
 * How connections are made and kept.
 */
export interface Transport {
  readonly dial_context?: DialContext;
  /**
   * Most connections to one server that are kept for further requests; 0 for any number.
   */
  readonly max_idle_connections?: number;
  /**
   * Time after which a connection is closed that no request used; `0s` for never.
   */
  readonly idle_connection_timeout?: number;
  /**
   * Longest time of a TLS handshake; `0s` for any.
   */
  readonly tls_handshake_timeout?: number;
  /**
   * How long a request with the header `Expect: 100-continue` waits to be told to go on before its body is sent all the same.
   */
  readonly expect_continue_timeout?: number;
}
/**
 * How connections are opened.
 */
export interface DialContext {
  /**
   * Longest time until a connection is open; `0s` for any.
   */
  readonly timeout?: number;
  /**
   * Pause before a silent connection is probed; `0s` leaves it to the system.
   */
  readonly keep_alive?: number;
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
/**
 * Part of a multipart body.
 */
export interface HttpPart {
  /**
   * `Content-Type` of the part.
   */
  readonly content_type?: Text;
  /**
   * `Content-Disposition` of the part.
   */
  readonly content_disposition?: Text;
  /**
   * Content of the part.
   */
  readonly body?: Text;
}

/** What the fields hold that a document leaves out. */
export const httpClientOutputDefaults = {
  verb: "POST",
  timeout: 5000,
  retries: 3,
  retry_period: 1000,
  max_retry_backoff: 300000,
  backoff_on: [
    429
  ],
  drop_on: [],
  successful_on: [],
  max_in_flight: 64,
  batching: {
    count: 0,
    byte_size: 0,
    period: 0,
    jitter: 0,
    processors: []
  },
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
  batch_as_multipart: false,
  propagate_response: false,
  multipart: []
} as const satisfies Partial<HttpClientOutputOptions>;
