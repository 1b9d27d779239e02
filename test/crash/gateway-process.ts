import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleStreams } from "../bundles.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { freePort } from "../harness/ports.ts";
import { type Program, start } from "../harness/processes.ts";

/** What its process is started with besides. */
export interface LaunchOptions {
  /** Arguments of Node. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A built gateway that is started again and again, at the same address. */
export class GatewayProcess {
  /** Where its API is. */
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

  /** Builds the gateway of some streams; nothing runs yet. */
  static async build(
    streams: Readonly<Record<string, object>>,
    options: LaunchOptions = {},
  ): Promise<GatewayProcess> {
    const folder = temporaryDirectory("gateway");
    writeFileSync(join(folder, "gateway.mjs"), (await bundleStreams(streams)).code);
    return new GatewayProcess(folder, await freePort(), options);
  }

  /** Starts it, and does not wait until it serves. */
  launch(): void {
    const { args = [], env = {} } = this.#options;
    const listen = { GW_LISTEN: `127.0.0.1:${this.#port}`, GW_ADMIN_LISTEN: "127.0.0.1:0" };
    const options = { cwd: this.#folder, env: { ...listen, ...env } };
    this.#lives.push(start(process.execPath, [...args, "gateway.mjs"], options));
  }

  /** Ends it by SIGKILL. */
  async kill(): Promise<void> {
    await this.#current().stop("SIGKILL");
  }

  /**
   * Ends it by SIGTERM, once it has come so far that it hears signals; what it exits with, SIGKILL where it has not ended
   * after `patience` milliseconds.
   */
  async terminate(patience = 60_000): Promise<number | NodeJS.Signals> {
    const program = this.#current();
    await program.matching(/"msg":"listening"/);
    return program.stop("SIGTERM", patience);
  }

  /** How often a text is in what it has written, in all its lives. */
  count(text: string): number {
    return this.#lives.reduce((sum, life) => sum + life.output().split(text).length - 1, 0);
  }

  /** How many lines of its log, in all its lives, are such ones. */
  countLines(isSuch: (line: Readonly<Record<string, unknown>>) => boolean): number {
    const lines = this.#lives.flatMap((life) => life.output().split("\n"));
    return lines.filter((line) => line.startsWith("{") && isSuch(JSON.parse(line))).length;
  }

  /** The last lines it has written, for the report of a failure. */
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
