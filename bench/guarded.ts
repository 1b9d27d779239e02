// What it costs a gateway to ask who calls, and to hold that to its policy and its limits.

import { type Compared, measureGateways } from "./gateways.ts";

const body = JSON.stringify({ id: 1, text: "x".repeat(180) });
const key = "5iGNfEnDkZpG3zUCF6yCsDEr0nGvcAVGhVyOxNqvEHc";
const head = `POST /orders/in/1 HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;

/**
 * A producer's route behind a key, its policy and its rate beside one that is open to all, with one protection more each
 * time; then behind limits of connections and messages besides, which few keys have.
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
