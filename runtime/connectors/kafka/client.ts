import { Kafka, type LogEntry, logLevel } from "kafkajs";
import { GatewayError } from "../../errors.ts";
import { networkFault, unreachableText } from "../../failures/unreachable.ts";
import { unfitSize } from "../../grammar/computed-text.ts";
import type { Logger } from "../../process/log.ts";
import { type TlsBlock, tlsOptions } from "../../process/tls.ts";
import { splitCommas } from "../../text/trim.ts";
import { installCodecs } from "./codecs.ts";
import { type Sasl, saslOptions } from "./sasl.ts";

/** The connection options that the input and the output share. */
export interface KafkaConnection {
  /** `host:port` entries. An entry may hold several, separated by commas. */
  readonly addresses: readonly string[];
  readonly client_id: string;
  readonly tls?: TlsBlock;
  readonly sasl?: Sasl | undefined;
  /** Whether everything that the client logs is logged. */
  readonly debug?: boolean;
  /** Longest wait for one response, in milliseconds; the default of kafkajs applies if absent. */
  readonly requestTimeout?: number;
}

/**
 * Creates a client that is not connected yet and logs to `log`.
 * Throws a `GatewayError` if its certificates cannot be used.
 */
export function createKafka(connection: KafkaConnection, log: Logger): Kafka {
  const { tls, sasl, debug = false, requestTimeout } = connection;
  const ssl = tlsOptions(tls);
  const proof = saslOptions(sasl);
  const brokers = connection.addresses.flatMap(splitCommas);
  installCodecs();
  return new Kafka({
    brokers,
    clientId: connection.client_id,
    connectionTimeout: 5000,
    ...(ssl !== undefined && { ssl }),
    ...(proof !== undefined && { sasl: proof }),
    ...(requestTimeout !== undefined && { requestTimeout }),
    // The client retries transient failures a few times, such as a partition without a leader, and tries each
    // address. The input and the output retry longer failures: they report them and can be stopped. Keep the numbers
    // small: each layer of the client repeats the retries of the layer below.
    retry: {
      initialRetryTime: 100,
      maxRetryTime: 1000,
      retries: Math.max(3, brokers.length),
      restartOnFailure: () => Promise.resolve(false),
    },
    logLevel: debug ? logLevel.DEBUG : logLevel.INFO,
    logCreator: () => (entry) => forwardLog(entry, log, debug),
  });
}

/** Milliseconds during which the same error of the client is logged only once. */
const quietTime = 60_000;

/** The time at which each error of the client was last logged. */
const logged = /* @__PURE__ */ new Map<string, number>();

/** Returns whether the text was logged recently; otherwise records that it is logged now. */
function wasLogged(text: string): boolean {
  const now = performance.now();
  if (now - (logged.get(text) ?? Number.NEGATIVE_INFINITY) < quietTime) return true;
  if (logged.size > 1000) logged.clear();
  logged.set(text, now);
  return false;
}

/**
 * Forwards a log entry of the client, one level lower: the client reports each attempt at each broker as an error,
 * and each pause as information. These are not warnings: an attempt that fails again in the same way (the stream logs
 * its retries); a refused request, such as a heartbeat during a rebalance (it is also thrown, and the caller handles
 * or reports it); the end of a consumer (`Crash`), for the same reason; a broker that is unreachable (the stream
 * reports when all of them are).
 */
function forwardLog(
  { level, namespace, log: { message, error } }: LogEntry,
  log: Logger,
  debug: boolean,
): void {
  const fields = {
    from: `kafkajs ${namespace}`.trim(),
    ...(error !== undefined && { reason: reasonOf(error) }),
  };
  const text = reasonOf(message); // typed as text, but the client logs an error object when a broker refuses a connection
  const isRefusal = namespace === "Connection" && text.startsWith("Response ");
  const isCrash = namespace === "Consumer" && text.startsWith("Crash: ");
  const isConnecting = /^(?:Connection error: connect |Connection timeout|Failed to connect to )/.test(text);
  if (
    level === logLevel.ERROR &&
    !isRefusal &&
    !isCrash &&
    !isConnecting &&
    (debug || !wasLogged(`${text} ${fields.reason ?? ""}`))
  )
    log.warn(text, fields);
  else if (debug)
    log.info(text, fields); // `debug` in the document asks for it
  else log.debug(text, fields);
}

/**
 * Returns the reason of a failure in one line for the log:
 * the messages of the error and its causes, without duplicates.
 */
export function reasonOf(error: unknown): string {
  const texts = causes(error).map(({ message }) => message);
  return texts.length === 0 ? String(error) : [...new Set(texts)].join(": ");
}

/** Kafka's errors for a record that is too large, and for a batch of records that is too large. */
const tooLarge: readonly string[] = ["MESSAGE_TOO_LARGE", "RECORD_LIST_TOO_LARGE"];

/** Explanations for errors whose names do not explain themselves. */
const meanings: ReadonlyMap<string | undefined, string> = /* @__PURE__ */ new Map([
  ["UNKNOWN_TOPIC_OR_PARTITION", "no such topic"],
  ["ILLEGAL_SASL_STATE", "this listener accepts no login"],
  ["COORDINATOR_NOT_AVAILABLE", "the group has no coordinator yet"],
  ["UNSUPPORTED_FOR_MESSAGE_FORMAT", "the format of the topic is too old for `idempotent_write`"],
  ["UNKNOWN", "Kafka gives no reason; topics with a format before 0.11 hold no headers"],
]);

/**
 * Converts a failure of the client to a `GatewayError` for callers.
 * `retryable` is what Kafka itself says about the error.
 */
export function kafkaFailure(error: unknown, message: string): GatewayError {
  nameCodes(error);
  const kind = kafkaErrorType(error);
  if (kind !== undefined && tooLarge.includes(kind))
    return unfitSize(`The message is larger than Kafka accepts (${kind})`, error);
  const meaning = meanings.get(kind);
  const name = meaning === undefined ? kind : `${kind}: ${meaning}`;
  return new GatewayError(502, name === undefined ? message : `${message} (${name})`, {
    cause: error,
    retryable: !isPermanent(error),
  });
}

/**
 * Returns an error for operators that says why Kafka cannot be used. It names the broker if the network failed, and
 * `topics` if one of them does not exist.
 */
export function kafkaUnreachable(
  error: unknown,
  message: string,
  topics: readonly string[] = [],
): GatewayError {
  nameCodes(error);
  const fault = networkFault(error);
  if (fault !== undefined)
    return new GatewayError(502, unreachableText("Kafka: broker", fault), { cause: error });
  const named =
    kafkaErrorType(error) === "UNKNOWN_TOPIC_OR_PARTITION" && topics.length > 0
      ? `${message}: ${topics.map((topic) => `\`${topic}\``).join(", ")}`
      : message;
  return kafkaFailure(error, named);
}

/** System error codes for network failures that the client itself detects. */
const codes: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["KafkaJSConnectionClosedError", "ECONNRESET"],
  ["KafkaJSConnectionError", "ETIMEDOUT"],
  ["KafkaJSRequestTimeoutError", "ETIMEDOUT"],
]);

/**
 * Adds the codes: kafkajs errors for unreachable or silent brokers have none,
 * and messages for operators depend on them.
 */
function nameCodes(error: unknown): void {
  for (const cause of causes(error)) {
    const code = codes.get(cause.name);
    if (code !== undefined && !("code" in cause && cause.code)) Object.assign(cause, { code });
  }
}

/** Errors that Kafka calls final, although a new producer may succeed. */
const errorsOfProducers = [
  "OUT_OF_ORDER_SEQUENCE_NUMBER",
  "UNKNOWN_PRODUCER_ID",
  "INVALID_PRODUCER_EPOCH",
  "INVALID_PRODUCER_ID_MAPPING",
];

/** Returns whether brokers no longer accept the numbers of a producer, so that only a new one can write. */
export function endsProducer(error: unknown): boolean {
  return errorsOfProducers.includes(kafkaErrorType(error) ?? "");
}

/** Returns whether the same request can never succeed, for example because a record is too large. */
export function isPermanent(error: unknown): boolean {
  if (error instanceof GatewayError) return !error.retryable;
  if (endsProducer(error)) return false;
  return causes(error).some((cause) => "type" in cause && "retriable" in cause && cause.retriable === false);
}

const startingCoordinator = [
  "GROUP_LOAD_IN_PROGRESS",
  "GROUP_COORDINATOR_NOT_AVAILABLE",
  "NOT_COORDINATOR_FOR_GROUP",
  "KafkaJSGroupCoordinatorNotFound",
];

/** Returns whether the group has no coordinator yet, which is temporary. */
export function isCoordinatorStarting(error: unknown): boolean {
  return causes(error).some(
    (cause) =>
      startingCoordinator.includes(cause.name) ||
      ("type" in cause && typeof cause.type === "string" && startingCoordinator.includes(cause.type)),
  );
}

/**
 * Returns Kafka's name of the error, such as `MESSAGE_TOO_LARGE`;
 * `undefined` if the error is not a response of Kafka.
 */
export function kafkaErrorType(error: unknown): string | undefined {
  for (const cause of causes(error)) {
    // For a refused login, the client keeps the message of the broker but drops its error code.
    if (cause.name === "KafkaJSSASLAuthenticationError") return "SASL_AUTHENTICATION_FAILED";
    if ("type" in cause && typeof cause.type === "string") return cause.type;
  }
  return undefined;
}

function causes(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let current = error; current instanceof Error && !chain.includes(current); current = current.cause) {
    chain.push(current);
  }
  return chain;
}
