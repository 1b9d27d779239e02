// The language client: it starts with the first document that is for it, and can be started anew.

import { type ExtensionContext, type LogOutputChannel, window } from "vscode";
import { LanguageClient, State, TransportKind } from "vscode-languageclient/node";
import { languages } from "./documents.ts";
import type { Runner } from "./runner.ts";
import type { Status } from "./status.ts";

/** The connection to the language server. */
export interface Client {
  /** Starts the server, if it does not run yet. */
  start(): Promise<void>;
  /** Ends the server and starts it again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Makes the client; nothing runs before `start`. */
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
        // Code lenses of the server may use these.
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
      // A server that is stuck answers nothing, as the client has logged; the next one must start all the same.
      server?.kill("SIGKILL");
    }
  };
  const begin = async (): Promise<void> => {
    // What failed once would fail at each key: only `restart` tries again.
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
