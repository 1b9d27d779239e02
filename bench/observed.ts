// `node bench/observed.ts`: measures the cost of collecting metrics for Prometheus.

import { compareGateways } from "./gateways.ts";

const body = JSON.stringify({ id: 1, text: "x".repeat(180) });
const head = `POST /orders/in/1 HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;

await compareGateways({
  title: "requests counted for Prometheus",
  program: "observed-gateway.ts",
  variants: ["silent", "prometheus"],
  request: head + body,
  goal: 0.85,
});
