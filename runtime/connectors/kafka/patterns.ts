import type { Kafka } from "kafkajs";
import { RE2JS } from "re2js";
import { GatewayError } from "../../errors.ts";
import { kafkaUnreachable } from "./client.ts";

/** Internal topics of the brokers, which patterns never match. */
const internal = ["__consumer_offsets", "__transaction_state", "__share_group_state", "__cluster_metadata"];

/** Returns the existing topics that one of the patterns matches, sorted by name; rejects if there is none. */
export async function findTopics(kafka: Kafka, patterns: readonly string[]): Promise<readonly string[]> {
  const compiled = patterns.map(compile);
  const admin = kafka.admin();
  let all: readonly string[];
  try {
    await admin.connect();
    all = await admin.listTopics();
  } catch (error) {
    throw kafkaUnreachable(error, "Kafka cannot list its topics");
  } finally {
    await admin.disconnect();
  }
  const found = all.filter(
    (topic) => !internal.includes(topic) && compiled.some((pattern) => pattern.matcher(topic).find()),
  );
  if (found.length === 0) throw new GatewayError(502, "Kafka has no topics with these names yet");
  return found.toSorted();
}

/** Compiles a pattern. Patterns from the environment are not checked before the gateway starts. */
function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    throw new GatewayError(500, "`topics` contains an invalid RE2 expression", { cause: error });
  }
}
