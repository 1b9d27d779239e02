import { setTimeout as pause } from "node:timers/promises";
import { createRandom } from "../fuzz/byte-mutator.ts";
import type { ProxiedKafka } from "../harness/brokers/proxied-kafka.ts";
import { until } from "../harness/wait.ts";
import type { Destination } from "./destination.ts";
import { type Fault, type FaultCounts, type FaultKind, planFaults } from "./faults.ts";
import { GatewayProcess } from "./gateway-process.ts";
import type { Pair } from "./pairs.ts";
import { messageOf, numbersOf, type Range, type Source } from "./source.ts";

/** The messages and faults of a run. */
export interface Trial {
  readonly messages: number;
  readonly faults: FaultCounts;
  readonly seed: number;
  /** Called with each fault, to show progress: a run takes minutes. */
  readonly note?: (text: string) => void;
}

/** The result of running one pair. */
export interface PairResult {
  readonly pair: string;
  readonly messages: number;
  /** The faults that happened, in this order. */
  readonly faults: readonly FaultKind[];
  /** Numbers that never arrived. */
  readonly lost: readonly number[];
  readonly duplicates: number;
  /** Numbers that arrived after a later one of their key, if the source keeps that order. */
  readonly overtaken: number;
  /** How often the broker took the gateway for dead. */
  readonly lapses: number;
  /** The most duplicates that the faults explain; the README has the arithmetic. */
  readonly allowed: number;
  /** Messages that the source would deliver again, although they arrived and the gateway shut down in order. */
  readonly remaining: number;
  /** The exit status of the gateway after each SIGTERM. */
  readonly exits: readonly (number | NodeJS.Signals)[];
  readonly seconds: number;
  /** The end of the gateway's log; if messages are lost, also the states of the gateway and the source before its end. */
  readonly log: string;
}

/** Sends the messages of one pair through a gateway while faults hit it and its brokers. */
export async function runPair(pair: Pair, kafka: ProxiedKafka, trial: Trial): Promise<PairResult> {
  const begin = performance.now();
  // The successor of a killed member waits until the group has removed that member. A short session timeout limits the
  // wait; without kills it would add faults that the run did not plan.
  const source = await pair.source(kafka, trial.faults.kills > 0 ? "6s" : "60s");
  const destination = await pair.destination(kafka);
  const gateway = await GatewayProcess.build({ stream: streamBetween(source, destination) });
  const range = { first: 0, end: trial.messages };
  await source.fill?.(range);
  gateway.launch();
  const sent = source.send?.(gateway, range);
  const run = new FaultyRun(source, destination, gateway);
  const plan = planFaults(trial.faults, trial.messages, createRandom(trial.seed));
  for (const fault of plan) {
    if (!(await run.inject(fault))) break;
    trial.note?.(`${pair.name}: ${fault.kind} after ${fault.after}`);
  }
  const arrived = await destination.ledger.reach(trial.messages);
  if (arrived) await sent;
  if (arrived) await readAll(source, destination, range);
  // If SIGTERM was the only fault, each orderly shutdown must leave nothing to deliver again, without waiting for it.
  if (arrived && run.done.some((kind) => kind !== "terminate")) await source.givenAgain?.();
  const states = arrived ? "" : await statesOf(gateway, source);
  const exits = [...run.exits, await gateway.terminate()];
  await destination.settle();
  const { ledger } = destination;
  const isOrdered =
    source.keepsOrder === true && destination.keepsOrder === true && run.done.every(keepsOrder);
  const lapses = source.lapse === undefined ? 0 : gateway.count(source.lapse);
  const result = {
    pair: pair.name,
    messages: trial.messages,
    faults: run.done,
    lost: ledger.missing(numbersOf(range)),
    duplicates: ledger.duplicates,
    overtaken: isOrdered ? ledger.overtaken : 0,
    lapses,
    allowed: destination.dropsRepeats ? 0 : run.allowed + lapses * (source.inFlight + run.mostUnconfirmed),
    remaining: await source.remaining(),
    exits,
    seconds: (performance.now() - begin) / 1000,
    log: gateway.lastLines() + states,
  };
  await destination.close();
  await source.close?.();
  return result;
}

/** Returns what the gateway and the source know of messages that do not arrive. */
async function statesOf(gateway: GatewayProcess, source: Source): Promise<string> {
  const known = await source.state?.().then((state) => JSON.stringify(state), String);
  return `\n-- the gateway: ${await gateway.state()}\n-- the source: ${known}`;
}

/** Returns a stream that decodes and encodes each message instead of only forwarding it. */
export function streamBetween({ input }: Source, { output }: Destination): object {
  return { input, pipeline: { processors: [{ mapping: "root = this\nroot.seen = true" }] }, output };
}

/**
 * Waits until the gateway has read again what it has to. A fault just before the end may cost it its place in a group
 * and its pending confirmations: it then reads those messages again first. The number of remaining messages after the
 * gateway's end shows whether it confirmed them.
 */
async function readAll(source: Source, { ledger }: Destination, range: Range): Promise<void> {
  const { confirmed, append } = source;
  if (append !== undefined) {
    await append(messageOf(range.end, range));
    await ledger.reach(range.end + 1);
    return;
  }
  if (confirmed === undefined) return;
  const isAll = async () => (await confirmed()) >= range.end || undefined;
  await until(isAll, { timeout: 180_000 }).catch(() => undefined);
}

/** Whether order survives the fault: after a fault of the destination, retried messages follow newer ones. */
function keepsOrder(kind: FaultKind): boolean {
  return kind.startsWith("kill") || kind === "terminate";
}

/** Injects faults and calculates how many messages each may have repeated. */
class FaultyRun {
  readonly #source: Source;
  readonly #destination: Destination;
  readonly #gateway: GatewayProcess;
  readonly done: FaultKind[] = [];
  readonly exits: (number | NodeJS.Signals)[] = [];
  allowed = 0;
  /** The largest number of unconfirmed messages at any fault (`U` in the README). */
  mostUnconfirmed = 0;

  constructor(source: Source, destination: Destination, gateway: GatewayProcess) {
    this.#source = source;
    this.#destination = destination;
    this.#gateway = gateway;
  }

  /** Returns false if the moment never came, because messages stopped arriving. */
  async inject({ kind, after, delay }: Fault): Promise<boolean> {
    if (!(await this.#destination.ledger.reach(after))) return false;
    await pause(delay);
    const { inFlight } = this.#source;
    switch (kind) {
      case "kill":
      case "kill at start":
        await this.#gateway.kill();
        this.allowed += inFlight + (await this.#unconfirmed());
        this.#gateway.launch();
        break;
      case "terminate":
        this.exits.push(await this.#gateway.terminate());
        this.#gateway.launch();
        break;
      case "cut":
        this.allowed += 2 * inFlight + (await this.#unconfirmed());
        this.#destination.proxy.reset();
        this.#source.cut?.();
        break;
      case "restart source":
      case "restart destination": {
        const { restart, repeatsAfterRestart } = kind === "restart source" ? this.#source : this.#destination;
        if (restart === undefined) return true;
        this.allowed += 2 * inFlight + (await this.#unconfirmed());
        if (repeatsAfterRestart === true) {
          this.allowed += this.#destination.ledger.distinct;
        }
        await restart();
        break;
      }
    }
    this.done.push(kind);
    return true;
  }

  /** Returns the number of messages that arrived but that the source may deliver again. */
  async #unconfirmed(): Promise<number> {
    const confirmed = await this.#source.confirmed?.();
    if (confirmed === undefined) return 0;
    await this.#destination.settle();
    const unconfirmed = Math.max(0, this.#destination.ledger.distinct - confirmed);
    this.mostUnconfirmed = Math.max(this.mostUnconfirmed, unconfirmed);
    return unconfirmed;
  }
}
