// Determines the order of suites, which of them may run at the same time, and which share a process.

import { availableParallelism } from "node:os";
import type { Service } from "./services.ts";
import type { Suite } from "./suites.ts";

/**
 * Suites that run for more than about fifteen seconds, longest first. They start before the others, since a long
 * suite that starts last would leave other processors idle. An outdated entry only costs time.
 */
export const longSuites: readonly string[] = [
  "test/crash/crash.long.kafka.nats.mqtt.rabbitmq.test.ts",
  "test/package.test.ts",
  "test/newcomer.long.test.ts",
  "lint",
  "types",
  "test/e2e/killed-service.long.test.ts",
  "test/simulation/simulation.long.nats.redis.postgres.mqtt.rabbitmq.test.ts",
  "test/runtime/connectors/mqtt-troubles.long.mqtt.test.ts",
  "test/shaking.test.ts",
  "test/review/growth/growth.test.ts",
  "test/e2e/portal-page.chromium.test.ts",
  "test/mutations/mutations.test.ts",
  "test/attack/resources.test.ts",
  "test/runtime/connectors/composite-inputs.test.ts",
  "test/language-server/incremental.test.ts",
  "test/runtime/portal/open-rights.postgres.test.ts",
  "test/runtime/portal/developers.postgres.test.ts",
  "test/catalogue.test.ts",
  "test/link/kafkajs.kafka.test.ts",
  "test/runtime/connectors/redis.redis.test.ts",
  "test/e2e/portal-content.chromium.test.ts",
  "test/management/stream-apis.postgres.test.ts",
  "test/emit/type-check.long.test.ts",
  "test/e2e/management-page.chromium.test.ts",
  "test/e2e/live-deployment.test.ts",
  "test/e2e/live-workers.long.test.ts",
  "test/docs/commands.long.postgres.test.ts",
  "test/runtime/portal/fuzz.long.postgres.test.ts",
  "test/e2e/alarm.long.rabbitmq.chromium.test.ts",
  "test/runtime/connectors/amqp-faults.long.rabbitmq.test.ts",
  "test/e2e/refused-logins.long.kafka.postgres.test.ts",
  "test/runtime/connectors/amqp-1.rabbitmq.test.ts",
  "test/e2e/webhooks.test.ts",
  "test/e2e/workers.test.ts",
  "test/attack/documents.test.ts",
  "test/cli/build.test.ts",
  "test/management/deployments.postgres.test.ts",
  "test/runtime/processors/archives.test.ts",
  "test/runtime/connectors/kafka-security.kafka.test.ts",
  "test/e2e/portal-accounts.chromium.test.ts",
  "test/runtime/portal/accounts.postgres.test.ts",
  "test/review/bombs.long.test.ts",
  "test/runtime/connectors/amqp-1-limits.test.ts",
  "test/ship/container.test.ts",
  "test/runtime/portal/webhook-deliveries.postgres.test.ts",
  "test/runtime/connectors/kafka-restart.long.kafka.test.ts",
  "test/cli/run.test.ts",
  "test/runtime/store/store.postgres.test.ts",
  "test/e2e/versions.test.ts",
  "test/review/secret-answers.test.ts",
  "test/review/tables.test.ts",
  "test/schemas/catalogue.test.ts",
  "test/embed/connections/kafka.kafka.test.ts",
  "test/e2e/admin-page.chromium.test.ts",
  "test/management/organisations.test.ts",
  "test/asyncapi/corpus.long.test.ts",
  "test/management/stream-api-views.postgres.test.ts",
  "test/cli/bundle.test.ts",
  "test/fuzz/fuzz.long.test.ts",
];

/** Maximum number of processors that are kept busy. Each batch takes several hundred megabytes of memory. */
const mostBusy = 4;

/** Number of suites with brokers that run in addition: they mostly wait. */
const mostOnBrokers = 6;

/**
 * Maximum number of concurrent batches. A suite works for a quarter of its time and waits for the rest: with eight
 * batches on two processors, these are idle for a quarter of the run.
 */
export const mostAtOnce: number = 2 * Math.min(Math.max(availableParallelism(), 1), mostBusy) + mostOnBrokers;

/** Suites that run one after another: test files that share a process and their services, or a single suite. */
export interface Batch {
  readonly suites: readonly Suite[];
  readonly needs: readonly Service[];
}

/**
 * Maximum number of test files per process: enough to amortise loading the compiler, few enough to balance the
 * processors.
 */
const mostInBatch = 16;

/** Test files that need a process of their own because they measure it. */
const alone: ReadonlySet<string> = new Set([
  "test/runtime/memory/body-budget.test.ts", // measures its heap
]);

/**
 * Returns the batches in the order in which they start: those on several brokers, which would otherwise wait for all of
 * these at the end of the run; then long suites, each in a batch of its own; then the others. A process always runs the
 * same files in the same order, regardless of other processes.
 */
export function batchesOf(suites: readonly Suite[]): Batch[] {
  const place = new Map(longSuites.map((name, index) => [name, index]));
  const placeOf = ({ name }: Suite) => place.get(name) ?? longSuites.length;
  const isAlone = ({ name, isTestFile }: Suite) => !isTestFile || place.has(name) || alone.has(name);
  const first = suites.filter(isAlone).toSorted((one, other) => placeOf(one) - placeOf(other));
  const byNeeds = Map.groupBy(
    suites.filter((suite) => !isAlone(suite)),
    ({ needs }) => needs.join(),
  );
  const shared = [...byNeeds.values()].flatMap((group) => chunksOf(group, mostInBatch));
  const batches = [...first.map((suite) => [suite]), ...shared].map((batch) => ({
    suites: batch,
    needs: batch[0]?.needs ?? [],
  }));
  const isOnSeveral = ({ needs }: Batch) => Number(needs.length > 2);
  return batches.toSorted((one, other) => isOnSeveral(other) - isOnSeveral(one));
}

/** Returns chunks of about the same length, none longer than `most`. */
function chunksOf<T>(values: readonly T[], most: number): T[][] {
  const count = Math.ceil(values.length / most);
  const startOf = (index: number) => Math.round((values.length * index) / count);
  return Array.from({ length: count }, (_, index) => values.slice(startOf(index), startOf(index + 1)));
}

/**
 * Maximum number of concurrent batches on a service if it is not one. Brokers would have to share their capacity;
 * each suite has a database of its own on PostgreSQL, and a browser or editor of its own.
 */
const mostOnService: ReadonlyMap<Service, number> = new Map([
  ["postgres", 2],
  ["chromium", 2],
  ["neovim", 2],
]);

/**
 * Returns the next batch of `waiting` to start; `undefined` if none may start now. Keeps some suites with services
 * running, since their waiting leaves time for suites without services; runs more of them only when no others are
 * left, and no more on one service than it can have.
 */
export function nextOf<T extends Pick<Batch, "needs">>(
  waiting: readonly T[],
  running: readonly T[],
): T | undefined {
  const inUse = running.flatMap(({ needs }) => needs);
  const isFree = (need: Service) =>
    inUse.filter((used) => used === need).length < (mostOnService.get(need) ?? 1);
  const onBrokers = waiting.find(({ needs }) => needs.length > 0 && needs.every(isFree));
  const pure = waiting.find(({ needs }) => needs.length === 0);
  const beside = running.filter(({ needs }) => needs.length > 0).length;
  return beside < mostOnBrokers ? (onBrokers ?? pure) : (pure ?? onBrokers);
}

/** Runs all suites with `run`, as many batches at a time as allowed. Starts none after `signal` aborts. */
export async function runAll(
  suites: readonly Suite[],
  run: (batch: Batch) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const waiting = batchesOf(suites);
  const running = new Map<Batch, Promise<void>>();
  const begin = (batch: Batch) => {
    waiting.splice(waiting.indexOf(batch), 1);
    running.set(
      batch,
      run(batch).finally(() => running.delete(batch)),
    );
  };
  while (running.size > 0 || (waiting.length > 0 && !signal.aborted)) {
    const hasRoom = running.size < mostAtOnce && !signal.aborted;
    const next = hasRoom ? nextOf(waiting, [...running.keys()]) : undefined;
    if (next === undefined) await Promise.race(running.values());
    else begin(next);
  }
}
