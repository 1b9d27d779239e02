import { type Broker, BrokerUnavailable } from "../../test/harness/brokers/broker.ts";
import { kafka, memcached, mosquitto, nats, postgres, rabbitmq, redis } from "../../test/harness/brokers.ts";
import { findChromium } from "../../test/harness/chromium.ts";
import { findEmacs, findNeovim } from "../../test/harness/editors.ts";

/** A service that a test file needs; its name contains the service (`*.kafka.test.ts`). */
export type Service =
  | "kafka"
  | "nats"
  | "mqtt"
  | "rabbitmq"
  | "redis"
  | "memcached"
  | "postgres"
  | "chromium"
  | "neovim"
  | "emacs";

/** Every service, in the order in which they are started. */
export const services: readonly Service[] = [
  "kafka",
  "nats",
  "mqtt",
  "rabbitmq",
  "redis",
  "memcached",
  "postgres",
  "chromium",
  "neovim",
  "emacs",
];

/** The addresses of the services for a suite's environment, or why it cannot run. */
export type Provision =
  | { readonly kind: "ready"; readonly environment: Readonly<Record<string, string>> }
  | { readonly kind: "unavailable"; readonly reason: string };

interface Started {
  readonly variable: string;
  readonly broker: Broker;
}

/** Starts each service when a suite first needs it, once for the whole run. */
export class Services {
  readonly #started = new Map<Service, Promise<Started>>();

  /** Starts the missing services of `needs`. A service that fails to start fails the run. */
  async provide(needs: readonly Service[]): Promise<Provision> {
    const environment: Record<string, string> = {};
    for (const service of needs) {
      const starting = this.#started.get(service) ?? startService(service);
      this.#started.set(service, starting);
      try {
        const { variable, broker } = await starting;
        environment[variable] = broker.address;
      } catch (error) {
        if (!(error instanceof BrokerUnavailable)) throw error;
        return { kind: "unavailable", reason: error.message };
      }
    }
    return { kind: "ready", environment };
  }

  /** Stops every service that was started, even if stopping another one fails. */
  async stop(): Promise<void> {
    await Promise.allSettled([...this.#started.values()].map(async (it) => (await it).broker.stop()));
    this.#started.clear();
  }
}

async function startService(service: Service): Promise<Started> {
  switch (service) {
    case "kafka":
      return { variable: "KAFKA_BROKERS", broker: await kafka() };
    case "nats":
      return { variable: "NATS_URL", broker: await nats() };
    case "mqtt":
      return { variable: "MQTT_URL", broker: await mosquitto() };
    case "rabbitmq":
      return { variable: "RABBITMQ_URL", broker: await rabbitmq() };
    case "redis":
      return { variable: "REDIS_URL", broker: await redis() };
    case "memcached":
      return { variable: "MEMCACHED_ADDRESS", broker: await memcached() };
    case "postgres":
      return { variable: "POSTGRES_URL", broker: await postgres() };
    case "neovim":
      return { variable: "NEOVIM_PATH", broker: { address: findNeovim(), stop: async () => undefined } };
    case "emacs":
      return { variable: "EMACS_PATH", broker: { address: findEmacs(), stop: async () => undefined } };
    case "chromium":
      return { variable: "CHROMIUM_PATH", broker: { address: findChromium(), stop: async () => undefined } };
  }
}
