import type { Output } from "../../../runtime/component/component.ts";
import type { HttpServerOutputOptions } from "../../../runtime/connectors/http-server/generated/output-options.ts";
import { httpServerOutput } from "../../../runtime/connectors/http-server/output.ts";
import { type ManualInput, manualInput } from "../gateway/components.ts";
import {
  ordersApi,
  startGateway,
  type TestGateway,
  type TestGatewayOptions,
} from "../gateway/start-gateway.ts";

/** A gateway with one stream that sends clients what the test delivers. */
export interface Consuming extends TestGateway {
  /** The input that runs now. */
  readonly input: ManualInput;
  readonly inputs: readonly ManualInput[];
  /** Returns the URL of a path below the listen path. */
  at(path: string): string;
  /** Returns the number of connected clients. */
  clients(): number;
  status(): string | undefined;
}

/** `output`: the options of an `http_server`, or a function that makes another output. */
export async function consuming(
  output: HttpServerOutputOptions | (() => Output),
  options?: TestGatewayOptions,
): Promise<Consuming> {
  const inputs: ManualInput[] = [];
  const events = () => {
    const input = manualInput();
    inputs.push(input);
    return { input, output: typeof output === "function" ? output() : httpServerOutput(output) };
  };
  const gateway = await startGateway([ordersApi({ events })], options);
  const state = () => gateway.streams.states()[0];
  return {
    ...gateway,
    inputs,
    get input() {
      const started = inputs.filter(({ starts }) => starts > 0).at(-1);
      if (started === undefined) throw new Error("no input was started");
      return started;
    },
    at: (path) => `${gateway.url}/orders${path}`,
    clients: () => state()?.clients ?? 0,
    status: () => state()?.status,
  };
}
