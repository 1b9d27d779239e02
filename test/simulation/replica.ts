import { type BuiltGateway, startBundle } from "../e2e/gateway.ts";
import type { Program } from "../harness/processes.ts";
import type { TcpProxy } from "../harness/tcp-proxy.ts";
import { type WrongClock, wrongClock } from "../harness/wrong-clock.ts";
import type { Network } from "./network.ts";
import type { Link } from "./schedule.ts";

/** What a replica is made of. */
export interface ReplicaPlace {
  /** The bundle. */
  readonly out: string;
  readonly folder: string;
  /** The ways to what the replicas share. */
  readonly networks: ReadonlyMap<Link, Network>;
  readonly env: Readonly<Record<string, string>>;
}

/** What a life of a replica has logged. */
interface LogLine {
  readonly life: string;
  readonly lease?: string;
  readonly fence?: number;
}

/** One replica of the bundle, which is started again and again, with a network and a clock of its own. */
export class Replica {
  readonly name: string;
  readonly #place: ReplicaPlace;
  readonly #clock: WrongClock;
  /** Each life with its name: `a1`, `a2` and so on. */
  readonly lives = new Map<string, Program>();
  /** What it exited with when it was stopped in an undisturbed network. */
  readonly exits: (number | NodeJS.Signals)[] = [];
  state: "up" | "down" | "suspended" = "down";
  #gateway: BuiltGateway | undefined;

  /** Nothing runs yet. Its clock is wrong by so many minutes. */
  constructor(name: string, place: ReplicaPlace, minutes: number) {
    this.name = name;
    this.#place = place;
    this.#clock = wrongClock(place.folder, name, minutes);
  }

  /** What is between it and what it shares. */
  network(link: Link): TcpProxy {
    const network = this.#place.networks.get(link);
    if (network === undefined) throw new Error(`replica ${this.name} shares no ${link}`);
    return network.proxy;
  }

  /** The name of its present life, or of the last one. */
  get life(): string {
    return `${this.name}${this.lives.size}`;
  }

  /** Where its API is; `undefined` while no process is there. */
  get url(): string | undefined {
    return this.state === "down" ? undefined : this.#gateway?.url;
  }

  get adminUrl(): string | undefined {
    return this.state === "down" ? undefined : this.#gateway?.adminUrl;
  }

  /** Begins a life, and resolves when it listens. */
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

  /** Ends it by SIGTERM; within 20 s, by SIGKILL otherwise. */
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

  /** Fields of the lines of its log with that text, by life. */
  lines(message: string): readonly LogLine[] {
    return [...this.lives].flatMap(([life, program]) =>
      program
        .output()
        .split("\n")
        .filter((line) => line.startsWith("{") && line.includes(`"msg":"${message}"`))
        .map((line) => ({ ...(JSON.parse(line) as Omit<LogLine, "life">), life })),
    );
  }

  /** The end of its log, for the report of a failure. */
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
