import { GatewayProcess } from "../crash/gateway-process.ts";
import { type Pair, pairs } from "../crash/pairs.ts";
import { messageOf, numbersOf, type Range, type Source } from "../crash/source.ts";
import { MemoryWatch } from "./memory.ts";
import { offer } from "./offer.ts";
import { type Scenario, sizeOf } from "./scenario.ts";

/** Milliseconds that a client of the stuck gateway waits for its response. */
const patience = 2000;

/** For each pair: a destination that stops accepting connections and bytes, while the source continues. */
export const stuckBrokers: readonly Scenario[] = pairs
  // If source and destination are the same broker, no traffic arrives while it hangs.
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
  await destination.settle(); // messages there that were not read are not lost
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

/** Clients that continue to send messages, whatever the responses are. */
class Producers {
  /** The numbers of the messages that the source or the gateway has accepted: they must arrive. */
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

  /** Sends messages until each of them is accepted. */
  async insist(range: Range): Promise<void> {
    if (this.#source.fill !== undefined) return this.give(range);
    await this.#source.send?.(this.#gateway, range);
  }

  /** Posts once, and disconnects if there is no response in time. */
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
      // Without a response, delivery of this message is not promised.
    }
  }
}
