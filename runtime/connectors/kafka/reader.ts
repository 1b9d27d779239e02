import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Kafka } from "kafkajs";
import type { InputContext } from "../../component/component.ts";
import { abort } from "../../concurrency/abort.ts";
import { attemptLevel, createBackoff, pause } from "../../concurrency/backoff.ts";
import { settlesWithin } from "../../concurrency/promises.ts";
import type { EndCondition } from "../../conditions/conditions.ts";
import { GatewayError } from "../../errors.ts";
import type { PartPosition, Positions } from "../../message/positions.ts";
import type { Balancer } from "./assigner.ts";
import { Assignment } from "./assignment.ts";
import { Beginnings } from "./beginnings.ts";
import { createKafka, type KafkaConnection, kafkaFailure, kafkaUnreachable, reasonOf } from "./client.ts";
import {
  type FetchedBatch,
  type FetchSettings,
  type GroupEvents,
  type GroupOptions,
  type GroupSession,
  joinGroup,
  type Membership,
} from "./group.ts";
import { createDelivery, type DeliverySettings } from "./partition.ts";
import { waitForCoordinator } from "./rejoining.ts";
import { parseSelection, type Selection } from "./selection.ts";

/** Milliseconds. A failed attempt takes a second or more, and Kafka usually returns within a few seconds. */
const reconnectPauses = { first: 200, longest: 5000 };

/** Milliseconds between commits while the group waits for its members to join. */
const rebalancePause = 50;

/**
 * How often a closing reader tries to commit,
 * and how many milliseconds it waits for an assignment before each attempt.
 */
const closingAttempts = 3;
const longestAssignment = 2000;

/** The settings of a reader, independent of how documents spell them. */
export interface ReaderSettings extends DeliverySettings {
  readonly connection: KafkaConnection;
  readonly topics: readonly string[];
  /** Finds the topics, if `topics` are patterns. */
  readonly findTopics?: (kafka: Kafka, patterns: readonly string[]) => Promise<readonly string[]>;
  /**
   * The group whose offsets are stored. If empty, nothing is stored and this reader reads all partitions. If `topics`
   * names partitions, this reader reads all of those, and their offsets are stored.
   */
  readonly group: string;
  readonly membership: Membership;
  /** The assignors that the group may use, in order of preference. */
  readonly balancers: readonly Balancer[];
  readonly fetching: FetchSettings;
  /** Whether to start at the oldest record if no offset is stored. */
  readonly fromBeginning: boolean;
  /** The offsets to start at instead, by partition. */
  readonly positions?: Positions;
  /** Largest number of records of one partition from the oldest unconfirmed one on. */
  readonly limit: number;
  /** Number of further records of one partition that may wait. */
  readonly ahead: number;
  /** Milliseconds between commits. */
  readonly commitPeriod: number;
  readonly multiHeader: boolean;
}

/** One run of an input, from `start` to `close`. */
export class KafkaReader {
  readonly #settings: ReaderSettings;
  readonly #context: InputContext;
  readonly #groupId: string;
  /** Whether the members of a group share the partitions. */
  readonly #isMember: boolean;
  readonly #assignment: Assignment;
  readonly #beginnings: Beginnings;
  readonly #closing = new AbortController();
  #session: GroupSession | undefined;
  #endOutage: EndCondition | undefined;
  #selection: Selection = { topics: [], partitions: new Map(), offsets: new Map() };
  #background: Promise<unknown> = Promise.resolve();
  #closed: Promise<void> | undefined;
  #commitFails = false;
  /** Whether the group waits for its members to join. */
  #isRebalancing = false;
  /**
   * Set while partitions may have gone to other members: a commit would be refused, or would set their offsets back.
   */
  #assigning: PromiseWithResolvers<void> | undefined;

  constructor(settings: ReaderSettings, context: InputContext) {
    this.#settings = settings;
    this.#context = context;
    const chosen = settings.findTopics === undefined ? parseSelection(settings.topics) : undefined;
    this.#isMember = settings.group !== "" && !chosen?.partitions.size;
    this.#groupId = this.#isMember ? settings.group : `sluice-${randomUUID()}`;
    this.#assignment = new Assignment({
      limit: settings.limit,
      ahead: settings.ahead,
      multiHeader: settings.multiHeader,
      exclusive: !this.#isMember,
      deliver: createDelivery(settings, context),
    });
    this.#beginnings = new Beginnings({
      isStored: settings.group !== "",
      isOutside: !this.#isMember,
      fromBeginning: settings.fromBeginning,
      positions: settings.positions ?? (chosen?.offsets.size ? chosen.offsets : undefined),
      closing: this.#closing.signal,
      begin: (starts) => this.#assignment.begin(starts),
    });
  }

  /** Joins the group; rejects with a `GatewayError` if that fails. */
  async start(): Promise<void> {
    // After the abort, failed deliveries are not retried.
    this.#context.signal.addEventListener("abort", () => this.#assignment.abandon(), { once: true });
    await this.#join();
    const { group, findTopics } = this.#settings;
    const tasks = [
      ...(group === "" ? [] : [this.#commitPeriodically()]),
      ...(findTopics === undefined ? [] : [this.#watchTopics(findTopics)]),
    ];
    this.#background = Promise.all([this.#background, ...tasks]);
  }

  /** See `Input.lag`. */
  lag(): number {
    return this.#assignment.lag();
  }

  /** See `InputPositions.undelivered`. */
  undelivered(
    isHanded: (position: PartPosition) => boolean = () => false,
    part?: string,
  ): Positions | undefined {
    return this.#assignment.undelivered(isHanded, part);
  }

  /**
   * Returns the offset after the newest record of each partition that is read; rejects with a `GatewayError` if Kafka
   * does not answer.
   */
  async ends(): Promise<Positions> {
    try {
      return (await this.#session?.offsets.latest(this.#assignment.partitions)) ?? new Map();
    } catch (error) {
      throw kafkaFailure(error, "Kafka does not report the end offsets");
    }
  }

  /** Waits for deliveries in progress, commits their offsets and leaves the group. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    abort(this.#closing);
    this.#assignment.abandon();
    this.#session?.pauseAll(); // heartbeats continue while deliveries end
    await this.#assignment.idle();
    await this.#background;
    for (let attempt = 0; attempt < closingAttempts && !(await this.#commit()); attempt += 1) {
      await sleep(rebalancePause);
      if (this.#assigning !== undefined) await settlesWithin(this.#assigning.promise, longestAssignment);
    }
    await this.#session?.close();
  }

  async #join(): Promise<void> {
    const { log } = this.#context;
    const kafka = createKafka(this.#settings.connection, log);
    const selection = await this.#select(kafka);
    this.#selection = selection;
    const { promise: lost, reject: lose } = Promise.withResolvers<never>();
    lost.catch(() => undefined); // reported where it is awaited
    let wasLost = false;
    const noteLoss = (error: Error) => {
      wasLost = true;
      lose(error);
    };
    const session = await waitForCoordinator(
      () => joinGroup(kafka, this.#groupOptions(), this.#events(noteLoss)),
      {
        log,
        signal: AbortSignal.any([this.#closing.signal, this.#context.signal]),
      },
    );
    try {
      await Promise.race([this.#beginnings.done(), lost]);
      if (wasLost) await lost; // lost after the race ended, before `#session` was set
    } catch (error) {
      await session.close();
      throw kafkaFailure(error, "Kafka does not report the start offsets");
    }
    this.#session = session;
    this.#endOutage?.();
    this.#endOutage = undefined;
    if (this.#closing.signal.aborted) await session.close();
  }

  #groupOptions(): GroupOptions {
    const { group, fromBeginning, membership, balancers, fetching } = this.#settings;
    return {
      groupId: this.#groupId,
      ...(!this.#isMember && group !== "" && { storedFor: group }),
      formerMember: this.#assignment.memberId,
      ...this.#selection,
      // Only this reader reads chosen partitions, and a group of a random name has one member.
      balancers: this.#isMember ? balancers : ["sticky"],
      fromBeginning,
      membership,
      fetching,
    };
  }

  /** `lose` is called if the session is lost while the reader still joins: the join then has to recover from it. */
  #events(lose: (error: Error) => void): GroupEvents {
    const { log } = this.#context;
    return {
      joined: (session, memberId, partitions) => {
        log.info("reading from Kafka", { partitions });
        this.#endAssigning();
        const unknown = this.#assignment.assign(session, memberId, partitions);
        this.#beginnings.start(session.offsets, unknown);
      },
      fetched: (batch) => this.#take(batch),
      rebalancing: (session) => {
        log.info("the group is rebalancing");
        this.#isRebalancing = true;
        this.#background = Promise.all([this.#background, this.#commitOften(session)]);
      },
      assigning: () => {
        this.#isRebalancing = false;
        this.#assigning ??= Promise.withResolvers();
        this.#assignment.hold();
      },
      lost: (error) => {
        this.#endAssigning();
        if (this.#closing.signal.aborted) return;
        this.#assignment.hold();
        if (this.#session === undefined) return lose(error);
        this.#session = undefined;
        this.#beginOutage(error);
        log.warn("Kafka connection lost, joining the group again", { reason: reasonOf(error) });
        this.#background = Promise.all([this.#background, this.#joinAgain()]);
      },
    };
  }

  #endAssigning(): void {
    this.#isRebalancing = false;
    this.#assigning?.resolve();
    this.#assigning = undefined;
  }

  /** The outage ends with the next session, not with the next join: the member can be lost again before it reads. */
  #beginOutage(error: unknown): void {
    const { answer } = kafkaUnreachable(error, "the connection to Kafka is lost");
    this.#endOutage ??= this.#context.beginOutage?.(answer);
  }

  async #take(batch: FetchedBatch): Promise<void> {
    if (!(await this.#beginnings.isValid(batch)) || batch.isStale()) return;
    this.#assignment.take(batch);
    batch.accept();
    const { topic, partition, messages } = batch;
    for (const { offset, unreadable } of messages) {
      if (unreadable === undefined) continue;
      const reason = reasonOf(unreadable);
      this.#context.log.warn("a batch of records cannot be read", { topic, partition, offset, reason });
    }
  }

  async #select(kafka: Kafka): Promise<Selection> {
    const { topics, findTopics, group } = this.#settings;
    if (findTopics !== undefined) {
      return { topics: await findTopics(kafka, topics), partitions: new Map(), offsets: new Map() };
    }
    const selection = parseSelection(topics);
    if (group !== "" && !this.#isMember && selection.partitions.size < selection.topics.length) {
      throw new GatewayError(
        500,
        "`topics` names partitions of some topics, and the consumer group shares others",
      );
    }
    return selection;
  }

  async #joinAgain(): Promise<void> {
    const backoff = createBackoff(reconnectPauses);
    let last = "";
    for (let retry = 1; !this.#closing.signal.aborted; retry += 1) {
      await pause(backoff.next(), this.#closing.signal);
      if (this.#closing.signal.aborted) return;
      try {
        await this.#join();
        return;
      } catch (error) {
        this.#beginOutage(error);
        const reason = reasonOf(error);
        const level = attemptLevel(retry, reason === last);
        this.#context.log[level]("the consumer group cannot be joined yet", { reason, retry });
        last = reason;
      }
    }
  }

  async #commitPeriodically(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      await pause(this.#settings.commitPeriod, this.#closing.signal);
      await this.#commit();
    }
  }

  /**
   * Commits often during a rebalance:
   * records that are not committed when it completes are redelivered if their partition moves.
   */
  async #commitOften(session: GroupSession): Promise<void> {
    while (this.#isRebalancing && !this.#closing.signal.aborted) {
      await this.#commit(session);
      await pause(rebalancePause, this.#closing.signal);
    }
  }

  /**
   * Commits the offsets of confirmed records. Returns whether all of them are stored. A failure only causes
   * redelivery after a crash: the next commit includes these offsets.
   */
  async #commit(session = this.#session): Promise<boolean> {
    if (session === undefined || this.#settings.group === "") return true;
    if (this.#assigning !== undefined) return false;
    const offsets = this.#assignment.uncommitted();
    if (offsets.length === 0) return true;
    try {
      await session.commit(offsets);
      this.#assignment.noteCommitted(offsets);
      this.#commitFails = false;
      return true;
    } catch (error) {
      const isOvertaken = this.#isRebalancing || this.#assigning !== undefined;
      if (!this.#commitFails && !isOvertaken) {
        this.#context.log.warn("offsets not committed", { reason: reasonOf(error) });
        this.#commitFails = true;
      }
      return false;
    }
  }

  /** Joins again if the patterns match other topics than before: a member cannot change its subscription. */
  async #watchTopics(findTopics: NonNullable<ReaderSettings["findTopics"]>): Promise<void> {
    const { connection, topics, fetching } = this.#settings;
    const kafka = createKafka(connection, this.#context.log);
    while (!this.#closing.signal.aborted) {
      await pause(fetching.metadataMaxAge, this.#closing.signal);
      const session = this.#session;
      if (this.#closing.signal.aborted || session === undefined) continue;
      try {
        const found = await findTopics(kafka, topics);
        if (found.join() === this.#selection.topics.join() || session !== this.#session) continue;
      } catch (error) {
        this.#context.log.warn("the topics cannot be looked up", { reason: reasonOf(error) });
        continue;
      }
      this.#context.log.info("the set of topics has changed, joining again");
      await this.#commit();
      this.#session = undefined;
      await session.close();
      await this.#joinAgain();
    }
  }
}
