// Runs a management service and a gateway that follows it, each as its own process.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../harness/directories.ts";
import { heapProbe } from "../harness/heap.ts";
import type { Program } from "../harness/processes.ts";
import { startSluice } from "../harness/sluice.ts";
import { until } from "../harness/wait.ts";

const key = "key-of-these-tests";

/** The response to a definition. */
export interface Sent {
  readonly status: number;
  readonly Errors?: readonly { readonly code: string; readonly message: string }[];
}

/** The outcome of an API at the gateway, as the gateway reports it. */
export interface Reported {
  readonly api: string;
  readonly outcome: "unchanged" | "applied" | "removed" | "rolled back";
  readonly reason?: string;
}

/** A service, and a gateway that serves the deployments of the service. */
export interface Deploying {
  /** The URL of the gateway: `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly gateway: Program;
  /** Returns the running service. */
  service(): Program;
  /** Kills the service with SIGKILL and starts another one in its place. */
  replaceService(): Promise<void>;
  /** Sends a definition as YAML. */
  send(method: "POST" | "PUT", path: string, text: string): Promise<Sent>;
  /** Resolves with the newest definition of an API, unchanged. */
  definition(id: string): Promise<string>;
  /** Resolves with the number of the newest deployment; 0 before the first. */
  newest(): Promise<number>;
  /** Resolves with the gateway's report of the deployment after `number`, when it has arrived. */
  outcomesAfter(number: number): Promise<readonly Reported[]>;
  /** Stops both processes; resolves with their exit codes or signals. */
  stop(): Promise<readonly (number | NodeJS.Signals)[]>;
}

interface Listed {
  readonly number: number;
  readonly gateways: readonly { readonly outcomes: readonly Reported[] }[];
}

/** Starts both with nothing deployed; `environment`: that of the gateway. The tests can read the sizes of their heaps. */
export async function startDeploying(environment: Readonly<Record<string, string>> = {}): Promise<Deploying> {
  const cwd = temporaryDirectory("deploying");
  const settings = { organisations: { default: { variables: ["NOT_THERE"] } } };
  writeFileSync(join(cwd, "management.yaml"), JSON.stringify(settings));
  const startService = async (listen: string) => {
    const program = startSluice(["serve", "management.yaml"], {
      cwd,
      env: {
        ...heapProbe,
        GW_MANAGEMENT_API_KEYS: key,
        GW_MANAGEMENT_LISTEN: listen,
        GW_MANAGEMENT_STREAMING_ENABLED: "true",
        GW_STORE_URL: `sqlite:${join(cwd, "management.db")}`,
      },
    });
    const [, address = ""] = await program.matching(/"management":"(http[^"]+)"/);
    return { program, address };
  };
  const { address, program } = await startService("127.0.0.1:0");
  let service = program;
  const gateway = startSluice(["gateway", "--from", address], {
    cwd,
    env: {
      ...heapProbe,
      GW_LISTEN: "127.0.0.1:0",
      GW_ADMIN_LISTEN: "127.0.0.1:0",
      GW_MANAGEMENT_TOKEN: key,
      GW_GATEWAY_ID: "one",
      ...environment,
    },
  });
  const [, url = ""] = await gateway.matching(/"gateway":"(http[^"]+)"/);

  const ask = (method: string, path: string, body?: string) =>
    fetch(`${address}/api${path}`, {
      method,
      headers: { authorization: key, "content-type": "application/yaml" },
      ...(body !== undefined && { body }),
    });
  async function listed(): Promise<readonly Listed[]> {
    const { Data } = (await (await ask("GET", "/deployments?p=1")).json()) as { Data: readonly Listed[] };
    return Data;
  }
  return {
    url,
    gateway,
    service: () => service,
    async replaceService() {
      await service.stop("SIGKILL");
      service = (await startService(new URL(address).host)).program;
    },
    async send(method, path, text) {
      const answer = await ask(method, path, text);
      return { ...((await answer.json()) as Omit<Sent, "status">), status: answer.status };
    },
    definition: async (id) => (await ask("GET", `/apis/streams/${id}`)).text(),
    newest: async () => (await listed())[0]?.number ?? 0,
    outcomesAfter: (number) =>
      until(
        async () => {
          const next = (await listed()).find((each) => each.number === number + 1);
          return next?.gateways[0]?.outcomes;
        },
        { timeout: 120_000, what: `what became of deployment ${number + 1}` },
      ),
    stop: async () => [await gateway.stop(), await service.stop()],
  };
}
