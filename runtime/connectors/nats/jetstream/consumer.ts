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

/** The consumer that a reader wants; times in milliseconds. */
export interface ConsumerPlan {
  /** Found by `subject` where it is absent. */
  readonly stream?: string;
  readonly subject?: string;
  /** Absent: a consumer of this reader alone, which ends with it. */
  readonly durable?: string;
  /** A consumer whose filter counts in place of `subject`, where it is there. */
  readonly filteredAs?: string;
  /** Take `durable` as it is; make none. */
  readonly bind: boolean;
  readonly deliver: "all" | "last" | "last_per_subject" | "new";
  readonly ackWait: number;
  readonly maxAckPending: number;
  /** Leave the content out. */
  readonly headersOnly?: boolean;
}

/** A consumer to pull from. */
export interface OpenConsumer {
  readonly stream: string;
  readonly name: string;
  /** Milliseconds after which the server delivers an unacknowledged message again. */
  readonly ackWait: number;
  /** The subjects it gets messages of; all of the stream where there are none. */
  readonly subjects: readonly string[];
  /** Sequence in the stream that it begins at, where it is new. */
  readonly next: number;
  /** When the server made it, in milliseconds since 1970. */
  readonly made: number;
  /** The limits of a pull request: messages and milliseconds. */
  readonly largestRequest: number;
  readonly longestRequest: number;
}

/** Where a new consumer begins instead of where `deliver` says, so that nothing is passed over when one was lost. */
export interface Beginning {
  in(stream: string): number | "end" | undefined;
  /** When the consumer that was lost was made: a stream that was made later is another one. */
  readonly since?: number;
  /** Called where the stream is another one. */
  onNewStream?(): void;
}

/** How long the server keeps an ephemeral consumer without pull requests. */
const inactiveThreshold = 60_000;

const policies = {
  all: DeliverPolicy.All,
  last: DeliverPolicy.Last,
  last_per_subject: DeliverPolicy.LastPerSubject,
  new: DeliverPolicy.New,
} as const;

/**
 * The consumer of a plan, made where it is missing. One that exists is brought to the plan's times and
 * limits unless it is bound. Rejects with a `GatewayError` that says what is missing.
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

/** JetStream's own interface over a connection; rejects with a `GatewayError` where the server has no JetStream. */
export async function manageJetStream(connection: NatsConnection): Promise<JetStreamManager> {
  try {
    return await jetstreamManager(connection);
  } catch (error) {
    throw natsFailure(error, "The NATS server offers no JetStream");
  }
}

/** The consumer of that name as the server has it; `undefined` where there is none. */
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

/** The stream that takes a subject; rejects with a `GatewayError` where there is none. */
export async function findStream(manager: JetStreamManager, subject: string): Promise<string> {
  try {
    return await manager.streams.find(subject);
  } catch (error) {
    if (codeOf(error) === JetStreamApiCodes.StreamNotFound) {
      throw mistake(`No stream takes the subject ${subject}`, error);
    }
    throw natsFailure(error, "JetStream cannot be asked for the stream");
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

/** Throws a `GatewayError` where a consumer that exists cannot be read, or is another than the plan means. */
export function refuseUnfit(plan: ConsumerPlan, { config, stream_name: stream, name }: ConsumerInfo): void {
  const who = `The consumer ${name} of the stream ${stream}`;
  if (config.deliver_subject) throw mistake(`${who} pushes; only consumers that are pulled from can be read`);
  if (config.ack_policy !== AckPolicy.Explicit) {
    throw mistake(`${who} does not want each message acknowledged, so messages could be lost`);
  }
  if (plan.bind) return;
  const subjects = subjectsOf(config);
  if (plan.subject !== undefined && !(subjects.length === 1 && subjects[0] === plan.subject)) {
    throw mistake(`${who} reads other subjects than ${plan.subject}`);
  }
}

/** A stream that was made anew counts from 1 again: all of it is new, and what is beyond its end never comes. */
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
  // The server wants a filter where it is to find the last message of each subject.
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
 * Of a consumer that delivers the last message of each subject, nats-server 2.9 passes a message over each time it meets its limit of
 * unacknowledged ones. Such a consumer has none: a reader asks for no more than it has room for.
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
    ackWait: (config.ack_wait || 30e9) / 1e6, // the server's own default
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
