import { JetStreamApiError, type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { isFixed, NotTested, type ProbedText, type Probing } from "../../../probe/probe.ts";
import { causesOf, ProbeFailure } from "../../../probe/probe-failures.ts";
import type { NatsAddress } from "../client.ts";
import { hasReason, openNats } from "../probe.ts";
import { probePublishing } from "../publish-rights.ts";
import { type ConsumerPlan, find, findStream, refuseUnfit } from "./consumer.ts";
import { type NatsJetstreamInputSettings, planOf } from "./input.ts";

/** The options of an output that the probe reads. */
interface OutputProbeOptions extends NatsAddress {
  readonly subject: ProbedText;
}

export type NatsJetstreamProbeOptions = OutputProbeOptions | (NatsAddress & NatsJetstreamInputSettings);

/**
 * Tests whether a stream exists for what is read or written, and whether the named consumer can be read. Creates and
 * changes no consumer, reads nothing, publishes nothing.
 */
export async function probeNatsJetstream(
  options: NatsJetstreamProbeOptions,
  probing: Probing,
): Promise<void> {
  const connection = await openNats(options, probing);
  const manager = await openJetstream(connection, probing);
  if ("deliver" in options) {
    if (probing.isComputed(options, "stream", "subject", "durable", "queue")) return;
    return probeInput(manager, planOf(options), probing);
  }
  const { subject = "" } = options;
  if (isFixed(subject)) {
    await probing.check(`stream for ${subject}`, () => understood(findStream(manager, subject)));
  } else probing.skip("stream", "the subject is computed from each message");
  await probePublishing(connection, subject, probing);
}

/** Tests whether the server offers JetStream to this user. Also used for buckets. */
export function openJetstream(connection: NatsConnection, probing: Probing): Promise<JetStreamManager> {
  return probing.require("JetStream", async () => {
    try {
      return await jetstreamManager(connection);
    } catch (error) {
      if (hasReason(error, "permissions violation")) throw forbidden("$JS.API.INFO", error);
      if (!hasReason(error, "jetstream is not enabled", "jetstream not enabled")) throw error;
      throw new ProbeFailure("missing", "the server offers no JetStream to this user", {
        advice: "Enable JetStream in the server and for the account",
        cause: error,
      });
    }
  });
}

async function probeInput(manager: JetStreamManager, plan: ConsumerPlan, probing: Probing): Promise<void> {
  const { subject, durable } = plan;
  const { stream = "" } = plan;
  const isThere =
    plan.stream === undefined
      ? await probing.check(`stream for ${subject}`, () => understood(findStream(manager, subject ?? "")))
      : await probing.check(`stream ${stream}`, () => understood(findNamed(manager, plan)));
  if (durable === undefined) {
    probing.skip("right to create a consumer", "one would have to be created");
  } else if (isThere) {
    await probing.check(`consumer ${durable}`, () => understood(findConsumer(manager, plan, durable)));
  }
}

async function findNamed(manager: JetStreamManager, { stream = "", subject }: ConsumerPlan): Promise<void> {
  const { config } = await manager.streams.info(stream);
  if (subject === undefined || config.subjects.some((each) => overlaps(each, subject))) return;
  throw new ProbeFailure("unfit", `it takes no subject ${subject}`, {
    advice: "Correct `stream` or `subject`, or add the subject to the stream",
  });
}

async function findConsumer(manager: JetStreamManager, plan: ConsumerPlan, name: string): Promise<void> {
  const stream = plan.stream ?? (await findStream(manager, plan.subject ?? ""));
  const existing = await find(manager, stream, name);
  if (existing !== undefined) return refuseUnfit(plan, existing);
  if (!plan.bind) throw new NotTested("it does not exist yet; the gateway creates it");
  throw new ProbeFailure("missing", `the stream ${stream} has no such consumer`, {
    advice: "Make the consumer, or leave `bind` out",
  });
}

/** Returns whether a subject exists that both patterns match. */
function overlaps(one: string, other: string): boolean {
  const [left, right] = [one.split("."), other.split(".")];
  for (const [index, token] of left.entries()) {
    const counterpart = right[index];
    if (counterpart === undefined) return false;
    if (token === ">" || counterpart === ">") return true;
    if (token !== counterpart && token !== "*" && counterpart !== "*") return false;
  }
  return left.length === right.length;
}

/** Status of JetStream API errors for missing objects. */
const notFound = 404;

async function understood<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (hasReason(error, "permissions violation")) {
      throw new NotTested("the user may not ask for it (`$JS.API.STREAM.>`, `$JS.API.CONSUMER.>`)");
    }
    if (!isMissing(error)) throw error;
    const advice = "Create it, or correct the name";
    throw new ProbeFailure("missing", "there is none", { advice, cause: error });
  }
}

/** Returns whether an error says that the requested object does not exist. */
export function isMissing(error: unknown): boolean {
  return causesOf(error).some((each) => each instanceof JetStreamApiError && each.status === notFound);
}

/** Returns the failure for a user who may not send a necessary JetStream request. */
export function forbidden(subject: string, cause: unknown): ProbeFailure {
  return new ProbeFailure("forbidden", "the user may not use the JetStream API for it", {
    advice: `Allow ${subject} in the user's permissions, under \`publish\`, and _INBOX.> under \`subscribe\``,
    cause,
  });
}
