import type { Kafka } from "kafkajs";
import { RE2JS } from "re2js";
import { GatewayError } from "../../errors.ts";
import { kafkaUnreachable } from "./client.ts";

/** Internal topics of the brokers: a pattern never means them. */
const internal = ["__consumer_offsets", "__transaction_state", "__share_group_state", "__cluster_metadata"];

/** The topics there are now in whose name one of the patterns is found, by name; rejects when there is none. */
export async function findTopics(kafka: Kafka, patterns: readonly string[]): Promise<readonly string[]> {
  const compiled = patterns.map(compile);
  const admin = kafka.admin();
  let all: readonly string[];
  try {
    await admin.connect();
    all = await admin.listTopics();
  } catch (error) {
    throw kafkaUnreachable(error, "Kafka cannot be asked for its topics");
  } finally {
    await admin.disconnect();
  }
  const found = all.filter(
    (topic) => !internal.includes(topic) && compiled.some((pattern) => pattern.matcher(topic).find()),
  );
  if (found.length === 0) throw new GatewayError(502, "Kafka has no topic of those names yet");
  return found.toSorted();
}

/** Patterns from the environment are not seen before the gateway starts. */
function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new GatewayError(500, "`topics` contains an invalid RE2 expression", { cause: error });
  }
}
