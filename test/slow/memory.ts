import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../harness/ports.ts";
import { until } from "../harness/wait.ts";

/** The memory usage of a process, in MB. */
export interface MemoryUse {
  /** The resident set size. */
  readonly resident: number;
  /** Objects of the program, and the bytes outside the heap that belong to them. */
  readonly heap: number;
}

/** Measures the memory of a gateway while it runs. */
export class MemoryWatch {
  readonly #port: number;
  readonly samples: (MemoryUse & { readonly at: number })[] = [];
  readonly #end = new AbortController();
  #watching: Promise<void> | undefined;

  private constructor(port: number) {
    this.#port = port;
  }

  static async create(): Promise<MemoryWatch> {
    return new MemoryWatch(await freePort());
  }

  /** The arguments and the environment with which to start the gateway. */
  get launch(): { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> } {
    return {
      args: ["--import", new URL("memory-probe.ts", import.meta.url).href],
      env: { MEMORY_PROBE_PORT: String(this.#port) },
    };
  }

  /** Samples every `period` milliseconds from now on; if the gateway does not respond in time, it is asked again. */
  start(period: number): void {
    this.#watching = this.#watch(period);
  }

  /** Resolves with the size of the heap after a full collection, in MB: the objects that the process still refers to. */
  async live(): Promise<number> {
    const { heapUsed, external } = await this.#ask("collected");
    return megabytes(heapUsed + external);
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#watching;
  }

  /** The maximum of all samples. */
  get peak(): MemoryUse {
    return {
      resident: Math.max(...this.samples.map(({ resident }) => resident)),
      heap: Math.max(...this.samples.map(({ heap }) => heap)),
    };
  }

  async #watch(period: number): Promise<void> {
    while (!this.#end.signal.aborted) {
      const { rss, heapUsed, external } = await until(() => this.#ask(), {
        what: "the memory",
      });
      this.samples.push({ at: Date.now(), resident: megabytes(rss), heap: megabytes(heapUsed + external) });
      await pause(period, undefined, { signal: this.#end.signal }).catch(() => undefined); // `stop` aborted the pause
    }
  }

  async #ask(path = ""): Promise<NodeJS.MemoryUsage> {
    const response = await fetch(`http://127.0.0.1:${this.#port}/${path}`);
    return (await response.json()) as NodeJS.MemoryUsage; // the response of the probe
  }
}

function megabytes(bytes: number): number {
  return bytes / 2 ** 20;
}
