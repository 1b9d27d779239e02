import type { IClientOptions } from "mqtt";
import { GatewayError } from "../../errors.ts";
import { qualityOf } from "./quality.ts";

/** The `will` block. */
export interface WillBlock {
  readonly enabled?: boolean;
  readonly qos?: number;
  readonly retained?: boolean;
  readonly topic?: string;
  readonly payload?: string;
}

/** What the broker publishes when the connection is lost; `undefined` where the block is absent or switched off. */
export function willOf(block: WillBlock = {}): IClientOptions["will"] {
  const { enabled = false, qos = 0, retained = false, topic = "", payload = "" } = block;
  if (!enabled) return undefined;
  if (topic === "") throw new GatewayError(500, "An MQTT will needs a topic (will.topic)");
  return { topic, payload: Buffer.from(payload), qos: qualityOf(qos), retain: retained };
}
