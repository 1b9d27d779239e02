// Measures the cost of authenticating callers and of enforcing policies and limits.

import { type Compared, measureGateways } from "./gateways.ts";

const body = JSON.stringify({ id: 1, text: "x".repeat(180) });
const key = "5iGNfEnDkZpG3zUCF6yCsDEr0nGvcAVGhVyOxNqvEHc";
const head = `POST /orders/in/1 HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;

/**
 * Compares a producer's open route with one protected by a key, its policy and its rate, adding one protection at a
 * time; then also with limits of connections and messages, which few keys have.
 */
export async function measureGuarded(): Promise<readonly Compared[]> {
  const common = { program: "guarded-gateway.ts", request: head + body };
  return [
    await measureGateways({
      ...common,
      title: "gateway: a key, its policy and its rate",
      variants: ["open", "key", "policy", "rate"],
      goal: 0.85,
    }),
    await measureGateways({
      ...common,
      title: "gateway: limits of connections and messages besides",
      variants: ["open", "all"],
      goal: 0.8,
    }),
  ];
}
