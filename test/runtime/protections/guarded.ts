// A gateway with a stream behind protections, and the messages that they let through.

import { plainHttpServerInput } from "../../../runtime/connectors/http-server/input.ts";
import type { Protection } from "../../../runtime/protection.ts";
import { memoryOutput } from "../gateway/components.ts";
import {
  ordersApi,
  startGateway,
  type TestGateway,
  type TestGatewayOptions,
} from "../gateway/start-gateway.ts";

/** A gateway whose stream accepts requests at `url`. */
export interface GuardedGateway extends TestGateway {
  /** The contents of the messages that arrived. */
  readonly received: readonly string[];
}

/** Serves `POST /orders/new` behind `protections`. */
export async function startGuarded(
  protections: readonly Protection[],
  options: TestGatewayOptions = {},
): Promise<GuardedGateway> {
  const output = memoryOutput();
  const api = ordersApi({ intake: () => ({ input: plainHttpServerInput({ path: "/new" }), output }) });
  const gateway = await startGateway([{ ...api, protections: () => protections }], options);
  return {
    ...gateway,
    url: `${gateway.url}/orders/new`,
    get received() {
      return output.texts;
    },
  };
}
