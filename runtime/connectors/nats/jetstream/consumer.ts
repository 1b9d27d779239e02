import {
  AckPolicy,
  type ConsumerConfig,
  type ConsumerInfo,
  DeliverPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  ReplayPolicy,
} from "@nats-io/jetstream";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import { GatewayError } from "../../../errors.ts";
import { natsFailure } from "../client.ts";

/** The consumer that a reader needs; times in milliseconds. */
export interface ConsumerPlan {
  /** If absent, the stream is looked up by `subject`. */
  readonly stream?: string;
  readonly subject?: string;
  /** If absent, the reader gets an ephemeral consumer of its own, which ends with it. */
  readonly durable?: string;
  /** A consumer whose filter applies instead of `subject`, if that consumer exists. */
  readonly filteredAs?: string;
  /** Whether to use the consumer `durable` unchanged, and never create one. */
  readonly bind: boolean;
  readonly deliver: "all" | "last" | "last_per_subject" | "new";
  readonly ackWait: number;
  readonly maxAckPending: number;
  /** Whether to leave out the content of messages. */
  readonly headersOnly?: boolean;
}

/** A consumer to pull from. */
export interface OpenConsumer {
  readonly stream: string;
  readonly name: string;
  /** Milliseconds after which the server delivers an unacknowledged message again. */
  readonly ackWait: number;
  /** The subjects of its messages; empty for all subjects of the stream. */
  readonly subjects: readonly string[];
  /** The sequence in the stream after the last message that it had delivered when it was opened. */
  readonly next: number;
  /** The time at which the server created it, in milliseconds since 1970. */
  readonly made: number;
  /** The limits of a pull request: messages and milliseconds. */
  readonly largestRequest: number;
  readonly longestRequest: number;
}

/**
 * Where a new consumer starts instead of where `deliver` says, so that no message is skipped if a consumer was lost.
 */
export interface Beginning {
  in(stream: string): number | "end" | undefined;
  /** The creation time of the lost consumer. A stream that was created later is a different one. */
  readonly since?: number;
  /** Called if the stream is a different one. */
  onNewStream?(): void;
}

/** Milliseconds for which the server keeps an ephemeral consumer without pull requests. */
const inactiveThreshold = 60_000;

const policies = {
  all: DeliverPolicy.All,
  last: DeliverPolicy.Last,
  last_per_subject: DeliverPolicy.LastPerSubject,
  new: DeliverPolicy.New,
} as const;

/**
 * Returns the consumer of a plan, and creates it if it is missing. An existing consumer gets the plan's times and
 * limits, unless it is bound. Rejects with a `GatewayError` that says what is missing.
 */
export async function openConsumer(
  manager: JetStreamManager,
  plan: ConsumerPlan,
  beginning?: Beginning,
): Promise<OpenConsumer> {
  const stream = plan.stream ?? (await findStream(manager, plan.subject ?? ""));
  try {
    const existing = plan.durable === undefined ? undefined : await find(manager, stream, plan.durable);
    if (existing !== undefined) return await adopt(manager, plan, existing);
    if (plan.bind) throw mistake(`The stream ${stream} has no consumer ${plan.durable}`);
    const from = beginning && (await withinStream(manager, stream, beginning));
    const model = plan.filteredAs === undefined ? undefined : await find(manager, stream, plan.filteredAs);
    const config = {
      ...configOf(plan, from),
      ...filterBy(model === undefined ? [] : subjectsOf(model.config)),
    };
    return opened(await manager.consumers.add(stream, config));
  } catch (error) {
    if (codeOf(error) === JetStreamApiCodes.StreamNotFound)
      throw mistake(`The stream ${stream} does not exist`, error);
    throw error instanceof GatewayError ? error : natsFailure(error, `The stream ${stream} cannot be read`);
  }
}

/** Returns the JetStream API of a connection; rejects with a `GatewayError` if the server has no JetStream. */
export async function manageJetStream(connection: NatsConnection): Promise<JetStreamManager> {
  try {
    return await jetstreamManager(connection);
  } catch (error) {
    throw natsFailure(error, "The NATS server offers no JetStream");
  }
}

/** Returns the server's information about a consumer; `undefined` if it does not exist. */
export async function find(
  manager: JetStreamManager,
  stream: string,
  name: string,
): Promise<ConsumerInfo | undefined> {
  try {
    return await manager.consumers.info(stream, name);
  } catch (error) {
    if (codeOf(error) === JetStreamApiCodes.ConsumerNotFound) return undefined;
    throw error;
  }
}

/** Returns the stream that stores a subject; rejects with a `GatewayError` if there is none. */
export async function findStream(manager: JetStreamManager, subject: string): Promise<string> {
  try {
    return await manager.streams.find(subject);
  } catch (error) {
    if (codeOf(error) === JetStreamApiCodes.StreamNotFound) {
      throw mistake(`No stream captures the subject ${subject}`, error);
    }
    throw natsFailure(error, "JetStream cannot look up the stream");
  }
}

async function adopt(
  manager: JetStreamManager,
  plan: ConsumerPlan,
  existing: ConsumerInfo,
): Promise<OpenConsumer> {
  refuseUnfit(plan, existing);
  if (plan.bind) return opened(existing);
  const { config, stream_name: stream, name } = existing;
  const wanted = limitsOf(plan);
  const fits = config.ack_wait === wanted.ack_wait && config.max_ack_pending === wanted.max_ack_pending;
  return opened(fits ? existing : await manager.consumers.update(stream, name, wanted));
}

/** Throws a `GatewayError` if an existing consumer cannot be read, or differs from what the plan describes. */
export function refuseUnfit(plan: ConsumerPlan, { config, stream_name: stream, name }: ConsumerInfo): void {
  const who = `The consumer ${name} of the stream ${stream}`;
  if (config.deliver_subject) throw mistake(`${who} is a push consumer; only pull consumers can be read`);
  if (config.ack_policy !== AckPolicy.Explicit) {
    throw mistake(`${who} does not require explicit acknowledgements, so messages could be lost`);
  }
  if (plan.bind) return;
  const subjects = subjectsOf(config);
  if (plan.subject !== undefined && !(subjects.length === 1 && subjects[0] === plan.subject)) {
    throw mistake(`${who} reads other subjects than ${plan.subject}`);
  }
}

/**
 * Bounds the start sequence.
 * A recreated stream counts from 1 again: all of its messages are new, so it is read from 1.
 */
async function withinStream(
  manager: JetStreamManager,
  stream: string,
  beginning: Beginning,
): Promise<number | undefined> {
  const sequence = beginning.in(stream);
  if (sequence === undefined) return undefined;
  const { state, created } = await manager.streams.info(stream);
  if (sequence === "end") return state.last_seq + 1;
  if (beginning.since !== undefined && Date.parse(created) > beginning.since) {
    beginning.onNewStream?.();
    return 1;
  }
  return sequence > state.last_seq + 1 ? 1 : sequence;
}

function subjectsOf({ filter_subject: one, filter_subjects: several }: ConsumerConfig): readonly string[] {
  return several ?? (one ? [one] : []);
}

function filterBy(subjects: readonly string[]): Partial<ConsumerConfig> {
  const [only] = subjects;
  if (only === undefined) return {};
  return subjects.length === 1 ? { filter_subject: only } : { filter_subjects: [...subjects] };
}

function configOf(plan: ConsumerPlan, from: number | undefined): Partial<ConsumerConfig> {
  // The server requires a filter to find the last message of each subject.
  const subject = plan.subject ?? (plan.deliver === "last_per_subject" ? ">" : undefined);
  return {
    ack_policy: AckPolicy.Explicit,
    replay_policy: ReplayPolicy.Instant,
    ...limitsOf(plan),
    ...(from === undefined
      ? { deliver_policy: policies[plan.deliver] }
      : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: from }),
    ...(subject !== undefined && { filter_subject: subject }),
    ...(plan.durable === undefined
      ? { inactive_threshold: nanos(inactiveThreshold) }
      : { durable_name: plan.durable }),
    ...(plan.headersOnly === true && { headers_only: true }),
  };
}

/**
 * Returns the limits of a consumer. A consumer that delivers the last message of each subject gets no limit of
 * unacknowledged messages: nats-server 2.9 skips a message each time such a consumer reaches it. The reader itself
 * requests no more messages than it has room for.
 */
function limitsOf({ deliver, ackWait, maxAckPending }: ConsumerPlan) {
  return {
    ack_wait: nanos(ackWait),
    max_ack_pending: deliver === "last_per_subject" ? -1 : maxAckPending,
  };
}

function opened({ stream_name: stream, name, config, delivered, created }: ConsumerInfo): OpenConsumer {
  return {
    stream,
    name,
    subjects: subjectsOf(config),
    ackWait: (config.ack_wait || 30e9) / 1e6, // 30 s is the server's default
    next: delivered.stream_seq + 1,
    made: Date.parse(created),
    largestRequest: config.max_batch || Number.POSITIVE_INFINITY,
    longestRequest: (config.max_expires || Number.POSITIVE_INFINITY) / 1e6,
  };
}

function codeOf(error: unknown): number | undefined {
  return error instanceof JetStreamApiError ? error.code : undefined;
}

function mistake(message: string, cause?: unknown): GatewayError {
  return new GatewayError(502, message, cause === undefined ? {} : { cause });
}
