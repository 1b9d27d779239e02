import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../harness/ports.ts";
import { until } from "../harness/wait.ts";

/** What a process uses, in MB. */
export interface MemoryUse {
  /** All that it has of the machine. */
  readonly resident: number;
  /** Objects of the program, and the bytes outside of the heap that belong to them. */
  readonly heap: number;
}

/** Looks at the memory of one gateway while it runs. */
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

  /** How the gateway has to be started. */
  get launch(): { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> } {
    return {
      args: ["--import", new URL("memory-probe.ts", import.meta.url).href],
      env: { MEMORY_PROBE_PORT: String(this.#port) },
    };
  }

  /** Samples every `period` milliseconds from now on; a gateway that does not answer at once is asked again. */
  start(period: number): void {
    this.#watching = this.#watch(period);
  }

  /** What a full collection leaves of the heap, in MB: all that the process holds on to. */
  async live(): Promise<number> {
    const { heapUsed, external } = await this.#ask("collected");
    return megabytes(heapUsed + external);
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#watching;
  }

  /** The largest of all samples. */
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
        timeout: 60_000,
      });
      this.samples.push({ at: Date.now(), resident: megabytes(rss), heap: megabytes(heapUsed + external) });
      await pause(period, undefined, { signal: this.#end.signal }).catch(() => undefined); // it was the end
    }
  }

  async #ask(path = ""): Promise<NodeJS.MemoryUsage> {
    const response = await fetch(`http://127.0.0.1:${this.#port}/${path}`);
    return (await response.json()) as NodeJS.MemoryUsage; // what the probe answers
  }
}

function megabytes(bytes: number): number {
  return bytes / 2 ** 20;
}
