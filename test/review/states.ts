// The state of a stream whose connections fail at random, and whose messages are refused now and then.

import { jetstreamManager } from "@nats-io/jetstream";
import { connect as connectToNats } from "@nats-io/transport-node";
import { connect as connectAmqp } from "amqplib";
import type { Input, Output } from "../../runtime/component/component.ts";
import { amqp09Input } from "../../runtime/connectors/amqp-0-9/input.ts";
import { amqp09Output } from "../../runtime/connectors/amqp-0-9/output.ts";
import { amqp1Input } from "../../runtime/connectors/amqp-1/input.ts";
import { amqp1Output } from "../../runtime/connectors/amqp-1/output.ts";
import { mqttInput } from "../../runtime/connectors/mqtt/input.ts";
import { mqttOutput } from "../../runtime/connectors/mqtt/output.ts";
import { natsInput } from "../../runtime/connectors/nats/input.ts";
import { natsJetstreamInput } from "../../runtime/connectors/nats/jetstream/input.ts";
import { natsJetstreamOutput } from "../../runtime/connectors/nats/jetstream/output.ts";
import { natsOutput } from "../../runtime/connectors/nats/output.ts";
import { GatewayError } from "../../runtime/errors.ts";
import { createLogger } from "../../runtime/process/log.ts";
import { createStreamManager } from "../../runtime/stream/stream-manager.ts";
import { mosquitto, nats, rabbitmq } from "../harness/brokers.ts";
import { unique } from "../harness/names.ts";
import { startTcpProxy } from "../harness/tcp-proxy.ts";
import { until } from "../harness/wait.ts";
import { batchOf, componentContext } from "../runtime/connectors/contexts.ts";
import type { Campaign } from "./campaign.ts";

/** Both ends of a connector at one place of a broker. */
interface Pair {
  readonly name: string;
  /** Address of the broker with `port` in place of its own. */
  address(port: number): string;
  readonly port: number;
  declare?(place: string): Promise<void>;
  input(url: string, place: string): Input;
  output(url: string, place: string): Output;
}

const faults = ["reset", "freeze", "hold", "mute", "release"] as const;

/** Numbers that a seed decides (mulberry32). */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Streams from a broker to it, through proxies that break their connections. */
export const states: Campaign = {
  claim:
    "A stream whose connections and messages fail in any order runs, and says so, once they fail no more.",
  prepare: async () => {
    const [natsServer, mqttBroker, rabbit] = await Promise.all([nats(), mosquitto(), rabbitmq()]);
    const pairs = pairsOf(natsServer.address, mqttBroker.address, rabbit.address);
    return {
      async round(seed) {
        const pair = pairs[seed % pairs.length];
        if (pair === undefined) return { attempts: 0, findings: [] };
        const finding = await breakOne(pair, numbersFrom(seed));
        return { attempts: 1, findings: finding === undefined ? [] : [`${pair.name}: ${finding}`] };
      },
      async close() {
        await Promise.all([natsServer.stop(), mqttBroker.stop(), rabbit.stop()]);
      },
    };
  },
};

async function breakOne(pair: Pair, next: (below: number) => number): Promise<string | undefined> {
  const [from, to] = [unique("from"), unique("to")];
  await pair.declare?.(from);
  await pair.declare?.(to);
  const proxies = [await startTcpProxy(pair.port), await startTcpProxy(pair.port)] as const;
  const manager = createStreamManager({
    log: createLogger("silent"),
    backoff: { first: 50, longest: 500 },
    demandGrace: 5,
    stopTimeout: 5_000,
    instances: { most: 1, idle: 0 },
  });
  const publisher = pair.output(pair.address(pair.port), from);
  let refusals = 0;
  try {
    await manager.run({
      api: "review",
      stream: pair.name,
      create: () => ({
        input: pair.input(pair.address(proxies[0].port), from),
        pipeline: [
          {
            process(batch) {
              if (refusals === 0) return [batch];
              refusals -= 1;
              throw new GatewayError(503, "not now");
            },
          },
        ],
        output: pair.output(pair.address(proxies[1].port), to),
      }),
    });
    const status = () => manager.states()[0]?.status;
    await until(() => status() === "running", { what: "the start" });
    await publisher.start(componentContext());
    for (let step = 0; step < 12; step++) {
      refusals += next(2);
      await publisher.write(batchOf(String(step)));
      const fault = faults[next(faults.length)] ?? "release";
      proxies[next(2) === 0 ? 0 : 1][fault]();
      await new Promise((resolve) => setTimeout(resolve, next(120)));
    }
    refusals = 0;
    for (const proxy of proxies) {
      proxy.release();
      proxy.reset(); // what was muted or frozen would only be found out by its heartbeats
    }
    const isWell = () => status() === "running" && manager.unready().length === 0;
    try {
      await until(isWell, { what: "the stream", timeout: 60_000 });
      return undefined;
    } catch {
      return `it stays ${JSON.stringify(manager.states()[0])}`;
    }
  } finally {
    await manager.close(5_000);
    await publisher.close();
    await Promise.all(proxies.map((proxy) => proxy.close()));
  }
}

function pairsOf(natsUrl: string, mqttUrl: string, amqpUrl: string): readonly Pair[] {
  const at = (address: string) => ({
    port: Number(new URL(address).port),
    address: (port: number) => address.replace(`:${new URL(address).port}`, `:${port}`),
  });
  return [
    {
      name: "nats",
      ...at(natsUrl),
      input: (url, subject) => natsInput({ urls: [url], subject }),
      output: (url, subject) => natsOutput({ urls: [url], subject }),
    },
    {
      name: "nats_jetstream",
      ...at(natsUrl),
      async declare(place) {
        const connection = await connectToNats({ servers: natsUrl });
        const manager = await jetstreamManager(connection);
        await manager.streams.add({ name: place, subjects: [place] });
        await connection.close();
      },
      input: (url, subject) => natsJetstreamInput({ urls: [url], subject, durable: "review" }),
      output: (url, subject) => natsJetstreamOutput({ urls: [url], subject }),
    },
    {
      name: "mqtt",
      ...at(mqttUrl),
      input: (url, topic) =>
        mqttInput({ urls: [url], topics: [topic], client_id: topic, clean_session: false }),
      output: (url, topic) => mqttOutput({ urls: [url], topic }),
    },
    {
      name: "amqp_0_9",
      ...at(amqpUrl),
      declare: (place) => declareQueue(amqpUrl, place),
      input: (url, queue) => amqp09Input({ urls: [url], queue }),
      output: (url, key) => amqp09Output({ urls: [url], exchange: "", key }),
    },
    {
      name: "amqp_1",
      ...at(amqpUrl),
      declare: (place) => declareQueue(amqpUrl, place),
      input: (url, queue) => amqp1Input({ urls: [url], source_address: `/amq/queue/${queue}` }),
      output: (url, queue) => amqp1Output({ urls: [url], target_address: `/amq/queue/${queue}` }),
    },
  ];
}

async function declareQueue(address: string, queue: string): Promise<void> {
  const connection = await connectAmqp(address);
  await (await connection.createChannel()).assertQueue(queue);
  await connection.close();
}
