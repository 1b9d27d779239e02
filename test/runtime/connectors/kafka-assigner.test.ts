import { AssignerProtocol, type Assignment, type Cluster, type Logger } from "kafkajs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { createAssigner } from "../../../runtime/connectors/kafka/assigner.ts";

const test = suite("kafka assigner");

type Answer = number | { readonly type: string; readonly retriable: boolean };

/** Returns an assigner whose cluster knows `orders`, and answers lookups of other topics one after another. */
function givenAssigner(answers: Readonly<Record<string, readonly Answer[]>> = {}) {
  const partitionsOf = (count: number) =>
    Array.from({ length: count }, (_, partitionId) => ({ partitionId }));
  const asked: string[] = [];
  const metadata = async ([topic = ""]: string[]) => {
    const attempt = asked.filter((name) => name === topic).length;
    asked.push(topic);
    const answer = answers[topic]?.[attempt];
    if (typeof answer === "number") return { topicMetadata: [{ partitionMetadata: partitionsOf(answer) }] };
    throw Object.assign(new Error(`no answer for ${topic}`), answer);
  };
  const errors: string[] = [];
  const cluster = {
    findTopicPartitionMetadata: (topic: string) => partitionsOf(topic === "orders" ? 2 : 0),
    findGroupCoordinator: async () => ({ metadata }),
  } as unknown as Cluster; // assigners use no other members
  const logger = { error: (text: string) => errors.push(text) } as unknown as Logger; // as above
  const assigner = createAssigner(() => ({ orders: [1] }))({ cluster, groupId: "readers", logger });
  const assign = async (...members: ReturnType<typeof member>[]) => {
    const shares = await assigner.assign({ members, topics: ["orders"] });
    return shares.map(({ memberAssignment }) => {
      return AssignerProtocol.MemberAssignment.decode(memberAssignment)?.assignment;
    });
  };
  return { assigner, assign, asked, errors };
}

function member(memberId: string, topics: string[], userData: Buffer = Buffer.alloc(0)) {
  return {
    memberId,
    memberMetadata: AssignerProtocol.MemberMetadata.encode({ version: 0, topics, userData }),
  };
}

const note = (assignment: Assignment) =>
  AssignerProtocol.MemberAssignment.encode({ version: 0, assignment, userData: Buffer.alloc(0) });

const passing = { type: "LEADER_NOT_AVAILABLE", retriable: true };
const unknown = { type: "UNKNOWN_TOPIC_OR_PARTITION", retriable: true };

test("a member reports its topics, its partitions and the number of partitions it knows", () => {
  const { assigner } = givenAssigner();
  const { name, metadata } = assigner.protocol({ topics: ["orders", "audit"] });
  assert.is(name, "RoundRobinAssigner");
  const { version, topics, userData } = AssignerProtocol.MemberMetadata.decode(metadata) ?? {};
  assert.equal([version, topics], [0, ["orders", "audit"]]);
  const reported = AssignerProtocol.MemberAssignment.decode(userData ?? Buffer.alloc(0));
  assert.equal(reported?.assignment, { orders: [1] });
  assert.is(String(reported?.userData), '[["orders",2],["audit",0]]');
});

test("members keep their partitions, and unknown user data is ignored", async () => {
  const { assign, asked } = givenAssigner();
  const shares = await assign(
    member("a", ["orders"], Buffer.from("\x00\x00\x7f\xff\xff\xffnothing of ours")),
    member("b", ["orders"], note({ orders: [0] })),
  );
  assert.equal(shares, [{ orders: [1] }, { orders: [0] }]);
  assert.equal(asked, [], "what the leader reads itself it knows");
});

test("metadata of a topic is requested again after temporary errors, and missing topics are left out", async () => {
  const { assign, errors } = givenAssigner({ audit: [unknown, passing, 1], gone: Array(9).fill(unknown) });
  const shares = await assign(member("a", ["orders"]), member("b", ["audit", "gone"]));
  assert.equal(shares, [{ orders: [0, 1] }, { audit: [0] }]);
  assert.equal(errors, ["No member of the group can read the topic gone now"]);
});

test("a broker that does not respond fails the assignment", async () => {
  const { assign, asked } = givenAssigner();
  const failure = await assign(member("b", ["audit"])).catch((error: unknown) => error);
  assert.match(String(failure), "no answer for audit");
  assert.equal(asked, ["audit"]);
});

test.run();
