// What it costs a gateway to ask who calls, and to hold that to its policy and its limits.

import { type Compared, measureGateways } from "./gateways.ts";

const body = JSON.stringify({ id: 1, text: "x".repeat(180) });
const key = "5iGNfEnDkZpG3zUCF6yCsDEr0nGvcAVGhVyOxNqvEHc";
const head = `POST /orders/in/1 HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;

/** A producer's route behind the whole chain beside one that is open to all, and with one protection more each time. */
export function measureGuarded(): Promise<Compared> {
  return measureGateways({
    title: "gateway: a key, its policy and its limits",
    program: "guarded-gateway.ts",
    variants: ["open", "key", "policy", "rate", "all"],
    request: head + body,
    goal: 0.85,
  });
}
