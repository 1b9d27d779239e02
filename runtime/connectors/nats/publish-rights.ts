// Tests whether a user may publish to a subject, by the permissions that the server reports. Publishes nothing.

import { Empty, type NatsConnection } from "@nats-io/transport-node";
import { isFixed, NotTested, type ProbedText, type Probing } from "../../probe/probe.ts";
import { ProbeFailure } from "../../probe/probe-failures.ts";

/** The subject where servers since 2.10 report the permissions of the current user, in any account. */
const ownUser = "$SYS.REQ.USER.INFO";
const patience = 2_000;

/** Subjects with wildcards. Without `allow`, everything is allowed except what `deny` lists. */
interface SubjectRights {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

/** Tests the right to publish to `subject`; reports it as not tested if the server does not report permissions. */
export async function probePublishing(
  connection: NatsConnection,
  subject: ProbedText,
  probing: Probing,
): Promise<void> {
  if (!isFixed(subject)) return probing.skip("right to publish", "the subject is computed from each message");
  await probing.check(`right to publish to ${subject}`, async () => {
    const { allow = [], deny = [] } = await askForRights(connection);
    const isListed = (patterns: readonly string[]) => patterns.some((pattern) => covers(pattern, subject));
    if ((allow.length === 0 || isListed(allow)) && !isListed(deny)) return;
    throw new ProbeFailure("forbidden", "the user may not publish to it", {
      advice: `Allow ${subject} in the user's permissions, under \`publish\``,
    });
  });
}

async function askForRights(connection: NatsConnection): Promise<SubjectRights> {
  let answer: unknown;
  try {
    answer = (await connection.request(ownUser, Empty, { timeout: patience })).json();
  } catch {
    // The server is older, or the user's permissions do not allow the request.
    throw new NotTested(`the server does not report the permissions of this user (${ownUser})`);
  }
  const publish = at(at(at(answer, "data"), "permissions"), "publish");
  return { allow: textsAt(publish, "allow"), deny: textsAt(publish, "deny") };
}

function at(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined;
}

function textsAt(value: unknown, key: string): readonly string[] {
  const list = at(value, key);
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
}

/** Returns whether a pattern matches: `orders.*` matches `orders.new`, `orders.>` everything below `orders`. */
function covers(pattern: string, subject: string): boolean {
  const [wanted, given] = [pattern.split("."), subject.split(".")];
  const rest = wanted.indexOf(">");
  const known = rest === -1 ? wanted : wanted.slice(0, rest);
  if (rest === -1 ? given.length !== known.length : given.length <= known.length) return false;
  return known.every((token, index) => token === "*" || token === given[index]);
}
