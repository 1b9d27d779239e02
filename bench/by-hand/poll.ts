// Repeated GET requests → mapping, over a keep-alive connection.

import { Agent, get } from "node:http";
import { mapOrder } from "./order.ts";

const { UPSTREAM = "", IN = "" } = process.env;
const agent = new Agent({ keepAlive: true });
const url = `${UPSTREAM}/orders/${IN}`;
let mapped = 0;

function poll(): void {
  get(url, { agent }, (answer) => {
    const chunks: Buffer[] = [];
    answer.on("data", (chunk: Buffer) => chunks.push(chunk));
    answer.on("end", () => {
      if (answer.statusCode === 200) mapped += mapOrder(Buffer.concat(chunks)).length;
      poll();
    });
  }).on("error", () => setTimeout(poll, 1000));
}

poll();
console.log("reading");
process.on("SIGTERM", () => process.exit(mapped > 0 ? 0 : 1));
