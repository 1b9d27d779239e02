// Joins a group whose coordinator is still starting, and continues reading while the other members join again.

import type { Broker, Cluster } from "kafkajs";
import type { ComponentContext } from "../../component/component.ts";
import { createBackoff, pause } from "../../concurrency/backoff.ts";
import { isCoordinatorStarting, kafkaErrorType } from "./client.ts";
import { type GroupMembership, outsider } from "./offsets.ts";

/** The request with which a member joins. */
interface JoinRequest {
  readonly groupId: string;
  readonly memberId: string;
  readonly groupProtocols: readonly unknown[];
}

/** Methods of kafkajs brokers that the types of kafkajs leave out. */
interface Coordinator {
  heartbeat(payload: { readonly groupId: string; readonly memberId: string }): Promise<unknown>;
  joinGroup(request: JoinRequest): Promise<GroupMembership | undefined>;
}

/** A membership whose joins `readWhileJoining` makes. */
export interface Rejoining {
  /** The membership of the last join that kafkajs knows of. */
  readonly member: GroupMembership;
  /** Gives up a join in progress and disconnects. */
  end(): Promise<void>;
}

/** The settings of `readWhileJoining`, and its listeners. */
export interface RejoinOptions {
  readonly groupId: string;
  /** Milliseconds between heartbeats. */
  readonly interval: number;
  /**
   * Returns the protocols that the member offers now. They differ from its last join by the partitions that it owns.
   */
  readonly protocols: () => readonly unknown[];
  /**
   * Opens another cluster of the same brokers:
   * a broker answers nothing else on a connection that is waiting for a join.
   */
  readonly openCluster: () => Cluster;
  /** A rebalance begins; reading continues. */
  readonly began: () => void;
  /** Every member has joined, so that partitions of this member may go to others. */
  readonly complete: () => void;
}

/** A join that kafkajs does not know of yet. */
interface Rejoin {
  readonly memberId: string;
  /** The refusal of the heartbeat, which makes kafkajs join. */
  readonly refusal: unknown;
  readonly cluster: Cluster;
  isOver: boolean;
  /** The response of the coordinator; absent if the join failed, in which case kafkajs joins itself. */
  answer?: GroupMembership | undefined;
}

/**
 * Lets a consumer read while its group waits for other members to join. As soon as a heartbeat is refused, kafkajs
 * stops fetching until all other members have noticed the rebalance. Here the member first joins over a separate
 * connection; kafkajs sees the refusal and the response to the join together, once all members have joined.
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
      .catch(() => undefined); // the sockets are closed in either case
  }

  function coordinatorOf(broker: Broker & Partial<Coordinator>): Broker & Partial<Coordinator> {
    const heartbeat: Coordinator["heartbeat"] = async (payload) => {
      // A member that is joining sends no other heartbeat.
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

/** Longest time that a broker may take to load its groups, in milliseconds. After that, the join fails. */
const longestStart = 30_000;

/**
 * Calls `join`, and retries while the coordinator of the group is still starting: a new broker loads its groups, and
 * creates the topic that stores them, before it admits members. Rejects with the error of `join`.
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
