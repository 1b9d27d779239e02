import { GatewayProcess } from "../crash/gateway-process.ts";
import { type Pair, pairs } from "../crash/pairs.ts";
import { messageOf, numbersOf, type Range, type Source } from "../crash/source.ts";
import { MemoryWatch } from "./memory.ts";
import { offer } from "./offer.ts";
import { type Scenario, sizeOf } from "./scenario.ts";

/** How long a client of the stuck gateway waits for its answer. */
const patience = 2000;

/** A destination that takes connections and bytes no more, while the source goes on: for each pair. */
export const stuckBrokers: readonly Scenario[] = pairs
  // What reads from the broker that it writes to has no traffic while that broker hangs.
  .filter(({ name }) => name !== "Kafka → Kafka")
  .map((pair) => ({ name: `stuck: ${pair.name}`, run: (kafka, pace) => runStuck(pair, kafka, pace) }));

const runStuck = async (pair: Pair, ...[kafka, pace]: Parameters<Scenario["run"]>) => {
  const [source, destination] = [await pair.source(kafka), await pair.destination(kafka)];
  const memory = await MemoryWatch.create();
  const stream = { input: source.input, output: destination.output };
  const gateway = await GatewayProcess.build({ stream }, memory.launch);
  gateway.launch();
  memory.start(500);
  const { ledger } = destination;
  const producers = new Producers(source, gateway);
  const before = await offer({ ...pace, megabytes: 2 }, producers.give);
  await ledger.reachAll(producers.taken);
  destination.proxy.hold();
  const offered = await offer(pace, producers.give, before);
  const passed = ledger.distinct - before;
  destination.proxy.release();
  const last = await offer({ ...pace, megabytes: 2 }, producers.give, before + offered);
  await producers.insist({ first: before + offered + last, end: before + offered + last + 100 });
  await ledger.reachAll(producers.taken);
  await destination.settle(); // what is there and was not read is no loss
  const lost = ledger.missing(producers.taken).length;
  await memory.stop();
  await gateway.terminate();
  await destination.close();
  await source.close?.();
  return {
    scenario: `stuck: ${pair.name}`,
    offered: sizeOf(offered),
    passed: sizeOf(Math.max(0, passed)),
    peak: memory.peak,
    lost,
    log: gateway.lastLines(),
  };
};

/** Those who go on giving messages, whatever becomes of them. */
class Producers {
  /** The numbers of those that the source or the gateway has taken: they must arrive. */
  readonly taken: number[] = [];
  readonly #source: Source;
  readonly #gateway: GatewayProcess;

  constructor(source: Source, gateway: GatewayProcess) {
    this.#source = source;
    this.#gateway = gateway;
  }

  readonly give = async (range: Range): Promise<void> => {
    const numbers = numbersOf(range);
    if (this.#source.fill !== undefined) {
      await this.#source.fill(range);
      this.taken.push(...numbers);
      return;
    }
    await Promise.all(numbers.map((number) => this.#post(number, range)));
  };

  /** Gives messages until each of them is taken. */
  async insist(range: Range): Promise<void> {
    if (this.#source.fill !== undefined) return this.give(range);
    await this.#source.send?.(this.#gateway, range);
  }

  /** Posts once, and goes away when there is no answer in time. */
  async #post(number: number, range: Range): Promise<void> {
    try {
      const response = await fetch(`${this.#gateway.url}/numbers`, {
        method: "POST",
        body: messageOf(number, range),
        signal: AbortSignal.timeout(patience),
      });
      await response.arrayBuffer();
      if (response.status === 200) this.taken.push(number);
    } catch {
      // No answer: nobody has promised anything of this message.
    }
  }
}
