// Finds the addresses on which a gateway would listen and checks them, with the rules and error texts of the runtime.

import { createServer } from "node:net";
import { loadRuntime } from "../../evaluate/runtime-modules.ts";
import type { Plan, SettingsPlan } from "../../plan/plan.ts";
import { StartError } from "../errors.ts";
import { evaluateOptions, type VariableValues } from "./known-options.ts";

/** The address of a listener, and its source. */
export interface WantedAddress {
  readonly address: string;
  /** The environment variable, such as `GW_LISTEN`, which takes precedence over the settings. */
  readonly variable: string;
  /** The setting in `gateway.yaml`, such as `listen.address`, if it supplies the address. */
  readonly setting?: string;
}

const listeners = [
  { variable: "GW_LISTEN", key: "listen", setting: "listen.address", fallback: "127.0.0.1:8080" },
  { variable: "GW_ADMIN_LISTEN", key: "adminListen", setting: "admin.listen", fallback: "127.0.0.1:8081" },
] as const satisfies readonly { key: keyof SettingsPlan; [name: string]: string }[];

/**
 * Returns the addresses on which a gateway of `plan`, or any gateway, would listen, except those that need missing
 * variables.
 */
export function wantedAddresses(plan: Plan | undefined, variables: VariableValues): readonly WantedAddress[] {
  return listeners.flatMap(({ variable, key, setting, fallback }): readonly WantedAddress[] => {
    const own = variables[variable];
    if (own) return [{ variable, address: own }];
    const value = plan?.settings[key];
    if (value === undefined) return [{ variable, address: fallback }];
    const fields = [{ name: "address", value, defaulted: false }];
    try {
      // The schema guarantees a text.
      const [{ address }] = evaluateOptions([{ kind: "Object", fields }], [], variables) as [
        { address: string },
      ];
      return [{ variable, address, setting }];
    } catch (error) {
      if (error instanceof StartError) return [];
      throw error;
    }
  });
}

/** Returns why a gateway cannot listen at an address; `undefined` if it can. */
export async function listenProblem(address: string): Promise<string | undefined> {
  const { isInherited } = loadRuntime("runtime/process/inherited-sockets.ts");
  // The service manager opens this socket.
  if (isInherited(address)) return undefined;
  const parsed = loadRuntime("runtime/process/listen-address.ts").parseListenAddress(address);
  if (parsed === undefined) return `${address} is not an address`;
  const error = await listenOnce(parsed.host ?? "0.0.0.0", parsed.port);
  if (error === undefined) return undefined;
  const { startProblems } = loadRuntime("runtime/process/start-problems.ts");
  return startProblems(error)?.[0] ?? `${address} cannot be listened on (${error.message})`;
}

/** Resolves with the error that listening fails with; `undefined` if it succeeds. */
function listenOnce(host: string, port: number): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", resolve);
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
