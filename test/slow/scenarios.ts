import { slowClient, stuckClient } from "./clients.ts";
import type { Scenario } from "./scenario.ts";
import { stuckBrokers } from "./stuck-broker.ts";

/** Everybody who may not keep up. */
export const scenarios: readonly Scenario[] = [slowClient, stuckClient, ...stuckBrokers];
