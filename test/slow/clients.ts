import { GatewayProcess } from "../crash/gateway-process.ts";
import { Ledger } from "../crash/ledger.ts";
import { numbersOf, type Range, type Source } from "../crash/source.ts";
import { kafkaSource } from "../crash/sources/kafka.ts";
import type { ProxiedKafka } from "../harness/brokers/proxied-kafka.ts";
import { type EventReader, readEvents } from "./event-reader.ts";
import { MemoryWatch } from "./memory.ts";
import { offer } from "./offer.ts";
import { type Pace, type Scenario, type ScenarioResult, sizeOf } from "./scenario.ts";

/** A gateway that sends a topic to the clients of an event stream. */
interface Stage {
  readonly source: Source;
  readonly gateway: GatewayProcess;
  readonly memory: MemoryWatch;
  readonly url: string;
}

type Finding = Pick<ScenarioResult, "offered" | "passed" | "lost">;

/** On a busy machine, the client itself may not read for longer than the gateway waits for it by default. */
const patient = { write_wait: "10m" };

/** A client that reads 256 KB a second, and everything at full speed in the end: no message may be missing. */
export const slowClient: Scenario = {
  name: "slow client",
  run: (kafka, pace) =>
    onStage("slow client", kafka, patient, async ({ source, url }) => {
      const reader = await readEvents(url, 64 * 1024);
      const offered = await offer(pace, (range) => fill(source, range));
      const passed = reader.ledger.distinct;
      reader.speed = Number.POSITIVE_INFINITY;
      await reader.ledger.reach(offered);
      const lost = reader.ledger.missing(numbersOf({ first: 0, end: offered })).length;
      reader.close();
      return { offered: sizeOf(offered), passed: sizeOf(passed), lost };
    }),
};

/**
 * A client that never reads, and reconnects whenever its connection is dropped. A second client that joins receives new
 * messages only; messages sent to the first one count as delivered, so only messages after its end can be missed.
 */
export const stuckClient: Scenario = {
  name: "stuck client",
  run: (kafka, pace) =>
    onStage("stuck client", kafka, {}, async ({ source, url }) => {
      const stuck = keepComingBack(url, 0);
      const half: Pace = { ...pace, megabytes: pace.megabytes / 2 };
      const alone = await offer(half, (range) => fill(source, range));
      // On a busy machine, the gateway may drop it as well.
      const reader = keepComingBack(url, Number.POSITIVE_INFINITY);
      const offered = alone + (await offer(half, (range) => fill(source, range), alone));
      const passed = reader.ledger.distinct;
      await stuck.end();
      const last = { first: offered, end: offered + 1000 };
      await fill(source, last);
      await reader.ledger.reachAll(numbersOf(last));
      const lost = reader.ledger.missing(numbersOf(last)).length;
      await reader.end();
      return { offered: sizeOf(offered), passed: sizeOf(passed), lost };
    }),
};

async function onStage(
  scenario: string,
  kafka: ProxiedKafka,
  limits: object,
  act: (stage: Stage) => Promise<Finding>,
): Promise<ScenarioResult> {
  const source = await kafkaSource(kafka);
  const memory = await MemoryWatch.create();
  const output = { http_server: { stream_path: "/events", ...limits } };
  const gateway = await GatewayProcess.build({ stream: { input: source.input, output } }, memory.launch);
  gateway.launch();
  memory.start(500);
  const finding = await act({ source, gateway, memory, url: `${gateway.url}/events` });
  await memory.stop();
  await gateway.terminate();
  await source.close?.();
  return { scenario, ...finding, peak: memory.peak, log: gateway.lastLines() };
}

/** Offers messages to a source that keeps them. */
async function fill(source: Source, range: Range): Promise<void> {
  await source.fill?.(range);
}

/** A client that reconnects whenever its connection is dropped, as browsers do. */
function keepComingBack(url: string, speed: number): { readonly ledger: Ledger; end(): Promise<void> } {
  const ledger = new Ledger();
  let current: EventReader | undefined;
  let ended = false;
  const coming = (async () => {
    while (!ended) {
      current = await readEvents(url, speed, ledger);
      if (ended) current.close();
      await current.ended;
    }
  })();
  return {
    ledger,
    async end() {
      ended = true;
      current?.close();
      await coming;
    },
  };
}
