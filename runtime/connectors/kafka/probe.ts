import type { Admin, Kafka } from "kafkajs";
import { isFixed, NotTested, type ProbedText, type Probing, probeContext } from "../../probe/probe.ts";
import { type ProbedAddress, probeAddresses } from "../../probe/probe-address.ts";
import { causesOf, describeProbeFailure, ProbeFailure } from "../../probe/probe-failures.ts";
import { type TlsOptions, tlsOptions } from "../../process/tls.ts";
import { splitCommas } from "../../text/trim.ts";
import { createKafka, type KafkaConnection, kafkaErrorType } from "./client.ts";
import { findTopics } from "./patterns.ts";
import { askRights, type Rights } from "./rights.ts";
import { parseSelection } from "./selection.ts";

/** The options of `kafka` that the probe reads. */
export interface KafkaProbeOptions extends KafkaConnection {
  /** Of an input. */
  readonly topics?: readonly string[];
  readonly consumer_group?: string;
  /** Of an output. */
  readonly topic?: ProbedText;
  readonly custom_topic_creation?: { readonly enabled?: boolean };
}

/** What to test, independent of how documents spell the options. */
export interface KafkaTargets {
  readonly connection: KafkaConnection;
  /** The topics to read, in the form of the input; patterns if `byPattern`. */
  readonly topics: readonly string[];
  readonly byPattern: boolean;
  readonly group: string;
  /** The topic to write to. */
  readonly topic: ProbedText | undefined;
  /** Whether the output creates a missing topic. */
  readonly makesTopics: boolean;
}

/**
 * Logs in, connects to every broker that the cluster names, and asks about topics, the group and the rights to them. It
 * joins no group, fetches no record, creates no topic and writes nothing.
 */
export async function probeKafka(options: KafkaProbeOptions, probing: Probing): Promise<void> {
  if (probing.isComputed(options, "addresses", "client_id", "tls", "sasl", "topics", "consumer_group"))
    return;
  const { topics = [], consumer_group: group = "", topic, custom_topic_creation: creation } = options;
  const makesTopics = creation?.enabled === true;
  await probeTargets({ connection: options, topics, byPattern: false, group, topic, makesTopics }, probing);
}

/** Like `probeKafka`, for other spellings of the options. */
export async function probeTargets(targets: KafkaTargets, probing: Probing): Promise<void> {
  const { connection } = targets;
  const tls = tlsOptions(connection.tls);
  const seeds = connection.addresses.flatMap(splitCommas).map((address) => parseAddress(address, tls));
  if (!(await probeAddresses(seeds, probing))) return;
  const { timeout } = probing;
  const kafka = createKafka({ ...connection, debug: false, requestTimeout: timeout }, probeContext().log);
  const session = await probing.open("login", () => understood(logIn(kafka, seeds)), closeSession);
  await probeBrokers(session, seeds, tls, probing);
  const target = { ...session, kafka, targets, probing };
  if (targets.topic === undefined) await probeReading(target);
  else await probeWriting(targets.topic, target);
}

/** An authenticated client, and the first responses of the brokers. */
interface Session {
  readonly admin: Admin;
  readonly rights: Rights;
  readonly brokers: readonly { readonly host: string; readonly port: number }[];
}

interface ProbeTarget extends Session {
  readonly kafka: Kafka;
  readonly targets: KafkaTargets;
  readonly probing: Probing;
}

/** Logs in. Includes the first request, because brokers accept connections before they authenticate. */
async function logIn(kafka: Kafka, seeds: readonly ProbedAddress[]): Promise<Session> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    const { brokers } = await admin.describeCluster();
    return { admin, brokers, rights: await askRights(kafka) };
  } catch (error) {
    await admin.disconnect();
    throw sentAway(error, seeds);
  }
}

/**
 * Explains a failure at an advertised address.
 * A common mistake: only the brokers can resolve the name that they advertise.
 */
function sentAway(error: unknown, seeds: readonly ProbedAddress[]): unknown {
  const broker = causesOf(error)
    .map((each) => ("broker" in each ? each.broker : undefined))
    .find(Boolean);
  if (typeof broker !== "string" || seeds.some(({ host, port }) => `${host}:${port}` === broker))
    return error;
  const { kind, reason } = describeProbeFailure(error);
  return new ProbeFailure(kind, `the cluster redirects clients to ${broker}, and ${reason}`, {
    advice: "Correct `advertised.listeners` of the brokers, or make that address resolvable here",
  });
}

async function closeSession({ admin, rights }: Session): Promise<void> {
  await Promise.all([admin.disconnect(), rights.close()]);
}

/** Tests each broker that clients may be redirected to. */
async function probeBrokers(
  { brokers }: Session,
  seeds: readonly ProbedAddress[],
  tls: TlsOptions | undefined,
  probing: Probing,
): Promise<void> {
  const isKnown = ({ host, port }: ProbedAddress) =>
    seeds.some((seed) => seed.host === host && seed.port === port);
  const others = brokers.map(({ host, port }) => ({ host, port, tls })).filter((each) => !isKnown(each));
  const isAnyThere = await probeAddresses(others, probing, "broker of the cluster");
  if (!isAnyThere && others.length === brokers.length) probing.stop(); // no broker is left that could answer
}

async function probeReading({ kafka, admin, rights, targets, probing }: ProbeTarget): Promise<void> {
  const { topics, byPattern, group } = targets;
  const chosen = byPattern ? undefined : parseSelection(topics);
  const names =
    chosen?.topics ??
    (await probing.require("topics of the patterns", () =>
      understood(findTopics(kafka, topics.flatMap(splitCommas))),
    ));
  for (const name of names) {
    const isThere = await probing.check(`topic ${name}`, async () => {
      const partitions = await understood(partitionsOf(admin, name));
      const missing = chosen?.partitions.get(name)?.find((wanted) => !partitions.has(wanted));
      if (missing === undefined) return;
      const advice = "Correct `topics`, or add partitions to the topic";
      throw new ProbeFailure("missing", `it has no partition ${missing}`, { advice });
    });
    if (isThere) {
      await probing.check(`right to read ${name}`, async () =>
        allow("Read", await understood(rights.ofTopic(name)), "topic"),
      );
    }
  }
  if (group === "") return;
  await probing.check(`right to read as group ${group}`, async (signal) =>
    allow("Read", await understood(rights.ofGroup(group, signal)), "group"),
  );
}

async function probeWriting(
  topic: ProbedText,
  { admin, rights, targets, probing }: ProbeTarget,
): Promise<void> {
  if (!isFixed(topic)) return probing.skip("topic", "it is computed from each message");
  const isThere = await probing.check(`topic ${topic}`, async () => {
    try {
      await understood(partitionsOf(admin, topic));
    } catch (error) {
      const isMissing = error instanceof ProbeFailure && error.kind === "missing";
      if (!isMissing || !targets.makesTopics) throw error;
      throw new NotTested("it does not exist yet; the gateway creates it");
    }
  });
  if (!isThere) return;
  await probing.check(`right to write ${topic}`, async () =>
    allow("Write", await understood(rights.ofTopic(topic)), "topic"),
  );
}

function parseAddress(address: string, tls: TlsOptions | undefined): ProbedAddress {
  const [, host = address, port = "9092"] = /^(.*?)(?::(\d+))?$/.exec(address) ?? [];
  return { host: host.replace(/^\[|\]$/g, ""), port: Number(port), tls };
}

async function partitionsOf(admin: Admin, name: string): Promise<ReadonlySet<number>> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [name] });
  return new Set(topics.flatMap(({ partitions }) => partitions.map(({ partitionId }) => partitionId)));
}

function allow(
  right: "Read" | "Write",
  granted: ReadonlySet<string> | undefined,
  what: "topic" | "group",
): void {
  if (granted === undefined) throw new NotTested("brokers before Kafka 2.3 do not report it");
  if (granted.has(right)) return;
  throw new ProbeFailure("forbidden", `the user has no right to ${right.toLowerCase()} there`, {
    advice: `Allow the user ${right} on the ${what} in Kafka's access lists`,
  });
}

type Answer = ConstructorParameters<typeof ProbeFailure>;

const login = "Correct `sasl`, and check that the brokers know the user";

/** Explanations for the errors of Kafka, by their name. */
const answers: Readonly<Record<string, Answer>> = {
  UNKNOWN_TOPIC_OR_PARTITION: [
    "missing",
    "there is no such topic",
    {
      advice:
        "Create the topic, or correct its name; a broker that creates topics automatically does so when it is used",
    },
  ],
  INVALID_TOPIC_EXCEPTION: ["settings", "topics cannot have that name", { advice: "Correct the name" }],
  TOPIC_AUTHORIZATION_FAILED: [
    "forbidden",
    "the user may not see the topic",
    { advice: "Allow the user Describe, and Read or Write, on the topic in Kafka's access lists" },
  ],
  GROUP_AUTHORIZATION_FAILED: [
    "forbidden",
    "the user may not see the group",
    { advice: "Allow the user Read on the group in Kafka's access lists" },
  ],
  CLUSTER_AUTHORIZATION_FAILED: [
    "forbidden",
    "the user may not describe the cluster",
    { advice: "Allow the user Describe on the cluster in Kafka's access lists" },
  ],
  SASL_AUTHENTICATION_FAILED: ["authentication", "the login is not accepted", { advice: login }],
  UNSUPPORTED_SASL_MECHANISM: [
    "authentication",
    "the brokers do not offer this SASL mechanism",
    { advice: "Change `sasl.mechanism`" },
  ],
  ILLEGAL_SASL_STATE: [
    "authentication",
    "the brokers expect no login on this listener",
    { advice: "Leave `sasl` out" },
  ],
};

/** Rejects with an explanation of the client's failure. */
async function understood<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const type = kafkaErrorType(error) ?? "";
    const [kind, reason, more] = (Object.hasOwn(answers, type) ? answers[type] : byName(error)) ?? [];
    if (kind === undefined || reason === undefined) {
      throw type === "" ? error : new ProbeFailure("other", `Kafka answers ${type}`, { cause: error });
    }
    throw new ProbeFailure(kind, reason, { ...more, cause: error });
  }
}

/** Explains failures of the client itself, which have only a name. */
function byName(error: unknown): Answer | undefined {
  const names = new Set(causesOf(error).map(({ name }) => name));
  if (names.has("KafkaJSSASLAuthenticationError")) {
    return ["authentication", "the login is not accepted", { advice: login }];
  }
  const wasEnded = names.has("KafkaJSConnectionClosedError") || names.has("KafkaJSConnectionError");
  if (!wasEnded || causesOf(error).some((each) => "code" in each && typeof each.code === "string"))
    return undefined;
  const advice = "Check `sasl` and `tls`: brokers close connections that do not start as they expect";
  return ["refused", "the broker closes the connection", { advice }];
}
