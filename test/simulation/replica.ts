import { type BuiltGateway, startBundle } from "../e2e/gateway.ts";
import type { Program } from "../harness/processes.ts";
import type { TcpProxy } from "../harness/tcp-proxy.ts";
import { type WrongClock, wrongClock } from "../harness/wrong-clock.ts";
import type { Network } from "./network.ts";
import type { Link } from "./schedule.ts";

/** The files, networks and environment of a replica. */
export interface ReplicaPlace {
  /** The path of the bundle. */
  readonly out: string;
  readonly folder: string;
  /** The connections to what the replicas share. */
  readonly networks: ReadonlyMap<Link, Network>;
  readonly env: Readonly<Record<string, string>>;
}

/** A log line of one process of a replica. */
interface LogLine {
  readonly life: string;
  readonly lease?: string;
  readonly fence?: number;
}

/** One replica of the bundle, which can be started repeatedly, with its own network and clock. */
export class Replica {
  readonly name: string;
  readonly #place: ReplicaPlace;
  readonly #clock: WrongClock;
  /** The processes by name: `a1`, `a2` and so on. */
  readonly lives = new Map<string, Program>();
  /** The exit statuses of orderly stops in an undisturbed network. */
  readonly exits: (number | NodeJS.Signals)[] = [];
  state: "up" | "down" | "suspended" = "down";
  #gateway: BuiltGateway | undefined;

  /** Does not start the replica. `minutes`: the error of its clock. */
  constructor(name: string, place: ReplicaPlace, minutes: number) {
    this.name = name;
    this.#place = place;
    this.#clock = wrongClock(place.folder, name, minutes);
  }

  /** Returns the proxy between the replica and what it shares. */
  network(link: Link): TcpProxy {
    const network = this.#place.networks.get(link);
    if (network === undefined) throw new Error(`replica ${this.name} shares no ${link}`);
    return network.proxy;
  }

  /** The name of its current process, or of the last one. */
  get life(): string {
    return `${this.name}${this.lives.size}`;
  }

  /** The address of its API; `undefined` while no process runs. */
  get url(): string | undefined {
    return this.state === "down" ? undefined : this.#gateway?.url;
  }

  get adminUrl(): string | undefined {
    return this.state === "down" ? undefined : this.#gateway?.adminUrl;
  }

  /** Starts a process and resolves when it listens. */
  async launch(): Promise<void> {
    const addresses = [...this.#place.networks].map(([link, { address }]) => [link.toUpperCase(), address]);
    const life = `${this.name}${this.lives.size + 1}`;
    this.#gateway = await startBundle(this.#place.out, {
      ...this.#place.env,
      ...Object.fromEntries(addresses),
      ...this.#clock.env,
      LIFE: life,
      REPLICA: this.name,
      GW_SHUTDOWN_TIMEOUT: "5s",
    });
    this.lives.set(life, this.#gateway.program);
    this.state = "up";
  }

  async kill(): Promise<void> {
    this.state = "down";
    await this.#program.stop("SIGKILL");
  }

  /** Stops it with SIGTERM, or with SIGKILL after 20 s. */
  async stop(isUndisturbed: boolean): Promise<void> {
    this.state = "down";
    const exit = await this.#program.stop("SIGTERM", 20_000);
    if (isUndisturbed) this.exits.push(exit);
  }

  suspend(): void {
    this.state = "suspended";
    this.#program.process.kill("SIGSTOP");
  }

  resume(): void {
    this.state = "up";
    this.#program.process.kill("SIGCONT");
  }

  stepClock(minutes: number): void {
    this.#clock.set(minutes);
    this.#program.process.kill("SIGUSR2");
  }

  /** Returns the log lines with that message, with their fields and process. */
  lines(message: string): readonly LogLine[] {
    return [...this.lives].flatMap(([life, program]) =>
      program
        .output()
        .split("\n")
        .filter((line) => line.startsWith("{") && line.includes(`"msg":"${message}"`))
        .map((line) => ({ ...(JSON.parse(line) as Omit<LogLine, "life">), life })),
    );
  }

  /** Returns the end of its log, for failure reports. */
  lastLines(): string {
    return this.#program.output().split("\n").slice(-25).join("\n");
  }

  async close(): Promise<void> {
    await Promise.all([...this.#place.networks.values()].map(({ proxy }) => proxy.close()));
  }

  get #program(): Program {
    if (this.#gateway === undefined) throw new Error(`replica ${this.name} was not launched`);
    return this.#gateway.program;
  }
}
