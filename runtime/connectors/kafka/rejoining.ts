// Joining a group whose coordinator is only starting, and reading on while its other members join again.

import type { Broker, Cluster } from "kafkajs";
import type { ComponentContext } from "../../component/component.ts";
import { createBackoff, pause } from "../../concurrency/backoff.ts";
import { isCoordinatorStarting, kafkaErrorType } from "./client.ts";
import { type GroupMembership, outsider } from "./offsets.ts";

/** What a member says when it joins. */
interface JoinRequest {
  readonly groupId: string;
  readonly memberId: string;
  readonly groupProtocols: readonly unknown[];
}

/** What brokers of kafkajs do and its types do not tell. */
interface Coordinator {
  heartbeat(payload: { readonly groupId: string; readonly memberId: string }): Promise<unknown>;
  joinGroup(request: JoinRequest): Promise<GroupMembership | undefined>;
}

/** A membership whose joins `readWhileJoining` makes. */
export interface Rejoining {
  /** As of the last join that kafkajs knows of. */
  readonly member: GroupMembership;
  /** Gives a join up that is under way, and disconnects. */
  end(): Promise<void>;
}

/** What a rejoining needs of its membership, and its listeners. */
export interface RejoinOptions {
  readonly groupId: string;
  /** Milliseconds between signs of life. */
  readonly interval: number;
  /** What the member offers now, which differs from its last join by the partitions that it holds. */
  readonly protocols: () => readonly unknown[];
  /** Another cluster of the same brokers: a broker answers nothing else on the connection on which a member joins. */
  readonly openCluster: () => Cluster;
  /** The group begins to assign its partitions anew; reading goes on. */
  readonly began: () => void;
  /** Every member has joined, so that others may be given what this one reads. */
  readonly complete: () => void;
}

/** A join that kafkajs does not know of yet. */
interface Rejoin {
  readonly memberId: string;
  /** The refusal of the sign of life, which makes kafkajs join. */
  readonly refusal: unknown;
  readonly cluster: Cluster;
  isOver: boolean;
  /** What the coordinator answered; nothing where that failed, and kafkajs tries itself. */
  answer?: GroupMembership | undefined;
}

/**
 * Has a consumer read on while its group waits for its members. kafkajs stops fetching as soon as a sign of life is refused,
 * until all others have noticed the same. Here the member joins over a connection of its own first, and kafkajs sees the refusal
 * and the answer together, once all members are there.
 */
export function readWhileJoining(cluster: Cluster, options: RejoinOptions): Rejoining {
  const find = cluster.findGroupCoordinator.bind(cluster);
  let lastJoin: JoinRequest | undefined;
  let rejoin: Rejoin | undefined;
  let member = outsider;
  let next = 0;

  function begin(memberId: string, refusal: unknown): void {
    const started: Rejoin = { memberId, refusal, cluster: options.openCluster(), isOver: false };
    rejoin = started;
    const request = { ...lastJoin, groupId: options.groupId, memberId, groupProtocols: options.protocols() };
    const end = (answer?: GroupMembership) => {
      started.isOver = true;
      started.answer = answer;
      if (rejoin === started) options.complete();
    };
    options.began();
    join(started.cluster, request)
      .then(end, () => end())
      .then(() => started.cluster.disconnect())
      .catch(() => undefined); // its sockets are closed either way
  }

  function coordinatorOf(broker: Broker & Partial<Coordinator>): Broker & Partial<Coordinator> {
    const heartbeat: Coordinator["heartbeat"] = async (payload) => {
      // A member that is joining gives no other sign of life.
      if (rejoin?.isOver === true) throw rejoin.refusal;
      const now = performance.now();
      if (rejoin !== undefined || now < next) return;
      next = now + options.interval;
      await broker.heartbeat?.(payload).catch((error: unknown) => {
        if (kafkaErrorType(error) !== "REBALANCE_IN_PROGRESS") throw error;
        begin(payload.memberId, error);
      });
    };
    const joinGroup: Coordinator["joinGroup"] = async (request) => {
      lastJoin = request;
      const done = rejoin;
      rejoin = undefined;
      const isAnswered = done?.answer !== undefined && done.memberId === request.memberId;
      const answer = isAnswered ? done.answer : await broker.joinGroup?.(request);
      if (answer !== undefined) member = answer;
      return answer;
    };
    const own: Readonly<Record<PropertyKey, unknown>> = { heartbeat, joinGroup };
    return new Proxy(broker, {
      get(target, name) {
        if (Object.hasOwn(own, name)) return own[name];
        const value = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  cluster.findGroupCoordinator = async (which) => coordinatorOf(await find(which));
  return {
    get member() {
      return member;
    },
    async end() {
      const left = rejoin;
      rejoin = undefined;
      await left?.cluster.disconnect();
    },
  };
}

async function join(cluster: Cluster, request: JoinRequest): Promise<GroupMembership | undefined> {
  await cluster.connect();
  const { groupId } = request;
  const coordinator: Broker & Partial<Coordinator> = await cluster.findGroupCoordinator({ groupId });
  return coordinator.joinGroup?.(request);
}

/** Milliseconds that a broker may take to read the groups it coordinates; after that it is a failure. */
const longestStart = 30_000;

/**
 * Does `join`, again while the coordinator of the group is only starting: a broker that has just come up reads its
 * groups, and makes the place for the first one, before it admits members. Rejects with what `join` rejects with.
 */
export async function waitForCoordinator<T>(
  join: () => Promise<T>,
  { log, signal }: Pick<ComponentContext, "log" | "signal">,
): Promise<T> {
  const backoff = createBackoff({ first: 100, longest: 1000 });
  const over = performance.now() + longestStart;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await join();
    } catch (error) {
      if (signal.aborted || performance.now() > over || !isCoordinatorStarting(error)) throw error;
      if (attempt === 1) log.info("the coordinator of the group is not ready yet");
    }
    await pause(backoff.next(), signal);
  }
}
