// The language client. It starts with the first document of this extension and can be restarted.

import { type ExtensionContext, type LogOutputChannel, window } from "vscode";
import { LanguageClient, State, TransportKind } from "vscode-languageclient/node";
import { languages } from "./documents.ts";
import type { Runner } from "./runner.ts";
import type { Status } from "./status.ts";

/** The connection to the language server. */
export interface Client {
  /** Starts the server if it is not running. */
  start(): Promise<void>;
  /** Stops the server and starts it again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Creates the client. The server does not run before `start`. */
export function createClient(context: ExtensionContext, runner: Runner, status: Status): Client {
  let running: Promise<LanguageClient> | undefined;
  let hasFailed = false;
  let log: LogOutputChannel | undefined;
  const start = async (): Promise<LanguageClient> => {
    const sluice = runner.sluiceFor(undefined);
    status.show("starting", sluice);
    const { command, args, env, cwd } = runner.commandFor(undefined, ["lsp"]);
    log ??= window.createOutputChannel("Sluice", { log: true });
    const client = new LanguageClient(
      "sluice",
      "Sluice",
      { command, args, options: { cwd, env: { ...process.env, ...env } }, transport: TransportKind.stdio },
      {
        documentSelector: languages.flatMap((language) =>
          ["file", "untitled"].map((scheme) => ({ language, scheme })),
        ),
        outputChannel: log,
        // The server may use these commands in code lenses.
        initializationOptions: {
          commands: ["sluice.test", "sluice.tryMapping", "sluice.showTopology", "sluice.openRoute"],
        },
      },
    );
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) status.show("running", sluice);
      else if (newState === State.Stopped) status.show("stopped", sluice);
    });
    await client.start();
    return client;
  };
  const stop = async (): Promise<void> => {
    const client = await running?.catch(() => undefined);
    running = undefined;
    const server = client?.serverProcess;
    try {
      await client?.dispose();
    } catch {
      // A server that hangs does not respond, which the client has logged; the next one must start anyway.
      server?.kill("SIGKILL");
    }
  };
  const begin = async (): Promise<void> => {
    // After a failure, only `restart` tries again, instead of failing at each key press.
    if (hasFailed) return;
    try {
      running ??= start();
      await running;
    } catch (error) {
      running = undefined;
      hasFailed = true;
      status.fail(error);
    }
  };
  context.subscriptions.push({ dispose: () => log?.dispose() });
  return {
    start: begin,
    stop,
    async restart() {
      await stop();
      hasFailed = false;
      await begin();
    },
  };
}
