import { slowClient, stuckClient } from "./clients.ts";
import type { Scenario } from "./scenario.ts";
import { stuckBrokers } from "./stuck-broker.ts";

/** All scenarios. */
export const scenarios: readonly Scenario[] = [slowClient, stuckClient, ...stuckBrokers];
