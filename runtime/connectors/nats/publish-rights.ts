// Whether a user may publish to a subject, by what the server says of its permissions: nothing is published.

import { Empty, type NatsConnection } from "@nats-io/transport-node";
import { isFixed, NotTested, type ProbedText, type Probing } from "../../probe/probe.ts";
import { ProbeFailure } from "../../probe/probe-failures.ts";

/** Where servers since 2.10 tell users what they may; it is the user's own, whatever the account. */
const ownUser = "$SYS.REQ.USER.INFO";
const patience = 2_000;

/** Subjects with wildcards; without `allow` everything is, but what `deny` names. */
interface SubjectRights {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

/** Checks the right to publish to `subject`; says that it is not tested where the server does not tell. */
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
    // An older server, or a user whose list leaves the question out: either way there is no answer.
    throw new NotTested(`the server does not tell this user what it may (${ownUser})`);
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

/** `orders.*` covers `orders.new`, `orders.>` all below `orders`. */
function covers(pattern: string, subject: string): boolean {
  const [wanted, given] = [pattern.split("."), subject.split(".")];
  const rest = wanted.indexOf(">");
  const known = rest === -1 ? wanted : wanted.slice(0, rest);
  if (rest === -1 ? given.length !== known.length : given.length <= known.length) return false;
  return known.every((token, index) => token === "*" || token === given[index]);
}
