import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleStreams } from "../bundles.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { freePort } from "../harness/ports.ts";
import { type Program, start } from "../harness/processes.ts";

/** Additional options for the process of the gateway. */
export interface LaunchOptions {
  /** Arguments of Node. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A built gateway that can be started repeatedly at the same address. */
export class GatewayProcess {
  /** The address of its API. */
  readonly url: string;
  readonly #folder: string;
  readonly #port: number;
  readonly #options: LaunchOptions;
  readonly #lives: Program[] = [];

  private constructor(folder: string, port: number, options: LaunchOptions) {
    this.#folder = folder;
    this.#port = port;
    this.#options = options;
    this.url = `http://127.0.0.1:${port}`;
  }

  /** Builds the gateway of some streams without starting it. */
  static async build(
    streams: Readonly<Record<string, object>>,
    options: LaunchOptions = {},
  ): Promise<GatewayProcess> {
    const folder = temporaryDirectory("gateway");
    writeFileSync(join(folder, "gateway.mjs"), (await bundleStreams(streams)).code);
    return new GatewayProcess(folder, await freePort(), options);
  }

  /** Starts the gateway without waiting until it serves. */
  launch(): void {
    const { args = [], env = {} } = this.#options;
    const listen = { GW_LISTEN: `127.0.0.1:${this.#port}`, GW_ADMIN_LISTEN: "127.0.0.1:0" };
    const options = { cwd: this.#folder, env: { ...listen, ...env } };
    this.#lives.push(start(process.execPath, [...args, "gateway.mjs"], options));
  }

  /** Kills it with SIGKILL. */
  async kill(): Promise<void> {
    await this.#current().stop("SIGKILL");
  }

  /**
   * Stops it with SIGTERM once it handles signals. Resolves with the exit status; SIGKILL if it has not exited after
   * `patience` milliseconds.
   */
  async terminate(patience = 60_000): Promise<number | NodeJS.Signals> {
    const program = this.#current();
    await program.matching(/"msg":"listening"/);
    return program.stop("SIGTERM", patience);
  }

  /** Returns the state of the streams as the gateway reports it, or why it reports none; for failure reports. */
  async state(): Promise<string> {
    const admin = /"admin":"([^"]+)"/.exec(this.#current().output())?.[1];
    if (admin === undefined) return "it does not listen";
    const signal = AbortSignal.timeout(10_000);
    return fetch(new URL("/streams", admin), { signal }).then((response) => response.text(), String);
  }

  /** Returns how often a text occurs in the output of all its processes. */
  count(text: string): number {
    return this.#lives.reduce((sum, life) => sum + life.output().split(text).length - 1, 0);
  }

  /** Returns the number of log lines of all its processes for which `isSuch` returns true. */
  countLines(isSuch: (line: Readonly<Record<string, unknown>>) => boolean): number {
    const lines = this.#lives.flatMap((life) => life.output().split("\n"));
    return lines.filter((line) => line.startsWith("{") && isSuch(JSON.parse(line))).length;
  }

  /** Returns the last lines of output, for failure reports. */
  lastLines(): string {
    return this.#lives
      .slice(-2)
      .map((life) => life.output().split("\n").slice(-15).join("\n"))
      .join("\n--\n");
  }

  #current(): Program {
    const program = this.#lives.at(-1);
    if (program === undefined) throw new Error("the gateway was not launched");
    return program;
  }
}
