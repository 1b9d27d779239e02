// Processes that run the command line again and again, so that the compiler is loaded and warm: one of a test file's own,
// or those of a test run, which all its files share through a socket.

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import type { HostedCommand } from "./command-host.ts";
import type { Outcome } from "./processes.ts";

/** Runs commands one after another in a process. Keeps its own process running only meanwhile. */
export class CommandHost {
  readonly #script: string;
  readonly #environment: Readonly<Record<string, string>>;
  #lastRun: Promise<unknown> = Promise.resolve();
  #process: ChildProcess | undefined;

  /** `script` is the command line's program, `environment` an addition to the one of this process. */
  constructor(script: string, environment: Readonly<Record<string, string>> = {}) {
    this.#script = script;
    this.#environment = environment;
  }

  run(command: HostedCommand): Promise<Outcome> {
    const outcome = this.#lastRun.then(() => this.#run(command));
    this.#lastRun = outcome.catch(() => undefined);
    return outcome;
  }

  /** Ends the process. A command that is running fails. */
  end(): void {
    this.#process?.kill("SIGKILL");
  }

  async #run(command: HostedCommand): Promise<Outcome> {
    const host = this.#process ?? this.#start();
    host.ref();
    host.channel?.ref();
    const over = new AbortController();
    const { signal } = over;
    const answer = once(host, "message", { signal });
    const end = once(host, "exit", { signal }).then(([status]) => {
      throw new Error(`\`sluice ${command.args.join(" ")}\` ended its host: ${status}`);
    });
    end.catch(() => undefined); // the wait is aborted after a response
    host.send(command);
    const [outcome] = await Promise.race([answer, end]).finally(() => over.abort());
    host.unref();
    host.channel?.unref();
    return outcome;
  }

  #start(): ChildProcess {
    const program = join(import.meta.dirname, "command-host.ts");
    const env = { ...process.env, ...this.#environment };
    const host = fork(program, [this.#script], { env, stdio: ["ignore", "ignore", "inherit", "ipc"] });
    host.once("exit", () => {
      this.#process = undefined;
    });
    this.#process = host;
    return host;
  }
}

/** What a run's hosts reply: the outcome of the command, or why there is none. */
type Reply = { readonly outcome: Outcome } | { readonly error: string };

/** Serves `runShared` at a path until `end`, with some hosts of a program, each of which runs one command at a time. */
export async function serveHosts(
  path: string,
  count: number,
  ...program: ConstructorParameters<typeof CommandHost>
): Promise<{ end(): void }> {
  const idle = Array.from({ length: count }, () => new CommandHost(...program));
  const all = [...idle];
  const waiting: ((host: CommandHost) => void)[] = [];
  const free = (host: CommandHost) => {
    const next = waiting.shift();
    if (next === undefined) idle.push(host);
    else next(host);
  };
  const answer = async (socket: Socket) => {
    const [line] = await once(createInterface(socket), "line");
    const command: HostedCommand = JSON.parse(line);
    const host = idle.pop() ?? (await new Promise<CommandHost>((resolve) => waiting.push(resolve)));
    // A test that is killed must not leave its command in a host that others wait for.
    const abandon = () => host.end();
    if (socket.destroyed) return free(host);
    socket.once("close", abandon);
    const reply: Reply = await host.run(command).then(
      (outcome) => ({ outcome }),
      (error: unknown) => ({ error: String(error) }),
    );
    socket.off("close", abandon);
    socket.end(JSON.stringify(reply));
    free(host);
  };
  const server = createServer((socket) => {
    socket.on("error", () => undefined); // the test has ended
    answer(socket).catch(() => socket.destroy());
  });
  await once(server.listen(path), "listening");
  return {
    end() {
      server.close();
      for (const host of all) host.end();
    },
  };
}

/** Runs a command in one of the hosts that are served at the path. */
export async function runShared(path: string, command: HostedCommand): Promise<Outcome> {
  const socket = connect(path);
  socket.write(`${JSON.stringify(command)}\n`);
  const reply: Reply = JSON.parse(await text(socket));
  if ("error" in reply) throw new Error(reply.error);
  return reply.outcome;
}
