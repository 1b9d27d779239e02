import { Kafka, type LogEntry, logLevel } from "kafkajs";
import { GatewayError } from "../../errors.ts";
import { networkFault, unreachableText } from "../../failures/unreachable.ts";
import { unfitSize } from "../../grammar/computed-text.ts";
import type { Logger } from "../../process/log.ts";
import { type TlsBlock, tlsOptions } from "../../process/tls.ts";
import { splitCommas } from "../../text/trim.ts";
import { installCodecs } from "./codecs.ts";
import { type Sasl, saslOptions } from "./sasl.ts";

/** What the input and the output share of their options. */
export interface KafkaConnection {
  /** `host:port` each; commas inside an item split it. */
  readonly addresses: readonly string[];
  readonly client_id: string;
  readonly tls?: TlsBlock;
  readonly sasl?: Sasl | undefined;
  /** Whether all that the client says is logged. */
  readonly debug?: boolean;
  /** Longest wait for one answer, in milliseconds; the client's own default where absent. */
  readonly requestTimeout?: number;
}

/**
 * A client that connects to nothing yet and logs through `log`. Throws a `GatewayError` when its certificates
 * cannot be used.
 */
export function createKafka(connection: KafkaConnection, log: Logger): Kafka {
  const { tls, sasl, debug = false } = connection;
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
    ...(connection.requestTimeout !== undefined && { requestTimeout: connection.requestTimeout }),
    // Quick attempts for transient failures, such as a partition without a leader, and at each address. Longer failures are
    // retried by the input and the output, which report them and can be stopped: every layer of the client repeats what
    // the layer below has repeated.
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

/** Milliseconds in which the log has the same error of the client once. */
const quietTime = 60_000;

/** When each error of the client was logged last. */
const logged = /* @__PURE__ */ new Map<string, number>();

/** Whether the log had this text lately; if not, it has it now. */
function wasLogged(text: string): boolean {
  const now = performance.now();
  if (now - (logged.get(text) ?? Number.NEGATIVE_INFINITY) < quietTime) return true;
  if (logged.size > 1000) logged.clear();
  logged.set(text, now);
  return false;
}

/**
 * The client reports each attempt at each broker as an error, and each pause as news: one level lower is what they are. An
 * attempt that fails again as before is no news: the stream that asked for it logs its retries. A refused request is not one
 * either, such as a heartbeat during a rebalance: it is thrown as well, and who made it goes on or reports it. So is what ends
 * a consumer (`Crash`). Nor is a broker that cannot be connected to: the stream says so when none can.
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
  const text = reasonOf(message); // typed as text, but a broker that refuses a connection is logged as an error
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
    log.info(text, fields); // who asks for it in the document wants to see it
  else log.debug(text, fields);
}

/** What went wrong, in one line for the log: the text of an error and of its causes, each once. */
export function reasonOf(error: unknown): string {
  const texts = causes(error).map(({ message }) => message);
  return texts.length === 0 ? String(error) : [...new Set(texts)].join(": ");
}

/** How brokers refuse a record, and a batch of records. */
const tooLarge: readonly string[] = ["MESSAGE_TOO_LARGE", "RECORD_LIST_TOO_LARGE"];

/** What the names of some errors do not say. */
const meanings: ReadonlyMap<string | undefined, string> = /* @__PURE__ */ new Map([
  ["UNKNOWN_TOPIC_OR_PARTITION", "no such topic"],
  ["ILLEGAL_SASL_STATE", "this listener takes no login"],
  ["COORDINATOR_NOT_AVAILABLE", "the group has no coordinator yet"],
]);

/** A failure of the client as it is reported to callers; `retryable` is what Kafka itself says about it. */
export function kafkaFailure(error: unknown, message: string): GatewayError {
  nameCodes(error);
  const kind = kafkaErrorType(error);
  if (kind !== undefined && tooLarge.includes(kind))
    return unfitSize(`The message is larger than Kafka takes (${kind})`, error);
  const meaning = meanings.get(kind);
  const name = meaning === undefined ? kind : `${kind}: ${meaning}`;
  return new GatewayError(502, name === undefined ? message : `${message} (${name})`, {
    cause: error,
    retryable: !isPermanent(error),
  });
}

/**
 * Why Kafka cannot be used, for operators: with the broker where the network says no, and with `topics` where one of them is
 * not there.
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

/** Codes of the system for what the client itself notices of the network. */
const codes: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["KafkaJSConnectionClosedError", "ECONNRESET"],
  ["KafkaJSConnectionError", "ETIMEDOUT"],
  ["KafkaJSRequestTimeoutError", "ETIMEDOUT"],
]);

/** The client's errors about brokers that are away or silent have no code, by which operators are told. */
function nameCodes(error: unknown): void {
  for (const cause of causes(error)) {
    const code = codes.get(cause.name);
    if (code !== undefined && !("code" in cause && cause.code)) Object.assign(cause, { code });
  }
}

/** What Kafka calls final of one request, though the next may well succeed: the producer has to begin anew. */
const endsProducer = [
  "OUT_OF_ORDER_SEQUENCE_NUMBER",
  "DUPLICATE_SEQUENCE_NUMBER",
  "UNKNOWN_PRODUCER_ID",
  "INVALID_PRODUCER_EPOCH",
  "INVALID_PRODUCER_ID_MAPPING",
];

/** Whether the same request can never succeed, such as a record that is too large. */
export function isPermanent(error: unknown): boolean {
  if (error instanceof GatewayError) return !error.retryable;
  if (endsProducer.includes(kafkaErrorType(error) ?? "")) return false;
  return causes(error).some((cause) => "type" in cause && "retriable" in cause && cause.retriable === false);
}

const startingCoordinator = [
  "GROUP_LOAD_IN_PROGRESS",
  "GROUP_COORDINATOR_NOT_AVAILABLE",
  "NOT_COORDINATOR_FOR_GROUP",
  "KafkaJSGroupCoordinatorNotFound",
];

/** Whether the group has no coordinator yet, which is temporary. */
export function isCoordinatorStarting(error: unknown): boolean {
  return causes(error).some(
    (cause) =>
      startingCoordinator.includes(cause.name) ||
      ("type" in cause && typeof cause.type === "string" && startingCoordinator.includes(cause.type)),
  );
}

/** Kafka's own name of the error, such as `MESSAGE_TOO_LARGE`; `undefined` when Kafka did not answer. */
export function kafkaErrorType(error: unknown): string | undefined {
  for (const cause of causes(error)) {
    // The client keeps the broker's words of a refused login, and drops their code.
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
