// What of a running gateway a deployment changes; `live/` is who does.

import type { Call } from "../http/call.ts";
import type { CheckedEnvironment } from "../process/environment.ts";
import type { Logger } from "../process/log.ts";
import type { StreamManager } from "../stream/stream-manager.ts";
import type { PreparedApi } from "./prepared-api.ts";
import type { RunningApis } from "./running-apis.ts";
import type { Settings } from "./settings.ts";

/** The parts of a gateway that go on while its APIs come and go. */
export interface GatewayParts {
  readonly log: Logger;
  readonly settings: Settings;
  readonly environment: CheckedEnvironment;
  readonly streams: StreamManager;
  readonly apis: RunningApis;
  /** An API with those of its streams that run in this process. */
  own(api: PreparedApi): PreparedApi;
  /** Resolves when all requests and sockets that are open now, and of which `isMeant` says so, are over. */
  settle(isMeant: (call: Call) => boolean): Promise<void>;
  /** Has `hook` be called and waited for when the gateway closes, before anything else. */
  onClose(hook: () => Promise<void>): void;
}
