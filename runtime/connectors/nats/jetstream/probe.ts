import { JetStreamApiError, type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { isFixed, NotTested, type ProbedText, type Probing } from "../../../probe/probe.ts";
import { causesOf, ProbeFailure } from "../../../probe/probe-failures.ts";
import type { NatsAddress } from "../client.ts";
import { hasReason, openNats } from "../probe.ts";
import { probePublishing } from "../publish-rights.ts";
import { type ConsumerPlan, find, findStream, refuseUnfit } from "./consumer.ts";
import { type NatsJetstreamInputSettings, planOf } from "./input.ts";

/** What the probe reads of the options of an output. */
interface OutputProbeOptions extends NatsAddress {
  readonly subject: ProbedText;
}

export type NatsJetstreamProbeOptions = OutputProbeOptions | (NatsAddress & NatsJetstreamInputSettings);

/**
 * Asks whether there is a stream for what is read or written, and whether a consumer of that name can be read. No
 * consumer is made or changed, nothing is read, nothing is published.
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

/** Whether the server offers JetStream to this user; shared with key-value buckets. */
export function openJetstream(connection: NatsConnection, probing: Probing): Promise<JetStreamManager> {
  return probing.require("JetStream", async () => {
    try {
      return await jetstreamManager(connection);
    } catch (error) {
      if (hasReason(error, "permissions violation")) throw forbidden("$JS.API.INFO", error);
      if (!hasReason(error, "jetstream is not enabled", "jetstream not enabled")) throw error;
      throw new ProbeFailure("missing", "the server offers no JetStream to this user", {
        advice: "Switch JetStream on in the server, and for the account",
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
    probing.skip("right to make a consumer", "one would have to be made");
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
  if (!plan.bind) throw new NotTested("it is not there yet: the gateway makes it");
  throw new ProbeFailure("missing", `the stream ${stream} has no such consumer`, {
    advice: "Make the consumer, or leave `bind` out",
  });
}

/** Whether a message could have a subject that both patterns take. */
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

/** Status of the JetStream API for what is not there. */
const notFound = 404;

async function understood<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (hasReason(error, "permissions violation")) {
      throw new NotTested("the user may not ask for it (`$JS.API.STREAM.>`, `$JS.API.CONSUMER.>`)");
    }
    if (!isMissing(error)) throw error;
    const advice = "Make it, or correct the name";
    throw new ProbeFailure("missing", "there is none", { advice, cause: error });
  }
}

/** Whether what was asked for is not there. */
export function isMissing(error: unknown): boolean {
  return causesOf(error).some((each) => each instanceof JetStreamApiError && each.status === notFound);
}

/** A user who may not ask JetStream for what has to be known. */
export function forbidden(subject: string, cause: unknown): ProbeFailure {
  return new ProbeFailure("forbidden", "the user may not ask JetStream for it", {
    advice: `Allow ${subject} in the user's permissions, under \`publish\`, and _INBOX.> under \`subscribe\``,
    cause,
  });
}
