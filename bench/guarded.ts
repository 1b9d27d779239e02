// `node bench/guarded.ts`: what it costs a gateway to ask who calls, and to hold that to its policy and its limits.

import { compareGateways } from "./gateways.ts";

const body = JSON.stringify({ id: 1, text: "x".repeat(180) });
const key = "5iGNfEnDkZpG3zUCF6yCsDEr0nGvcAVGhVyOxNqvEHc";
const head = `POST /orders/in/1 HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;

await compareGateways({
  title: "requests of a key with a policy and limits",
  program: "guarded-gateway.ts",
  without: "open",
  with: "guarded",
  request: head + body,
  goal: 0.85,
});
