// POST with a key, its policy, a rate limit and validation of the body → mapping → Kafka, with a Map, a counter and
// ajv.

import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "yaml";
import { send } from "./kafka.ts";
import { mapParsed, type Order } from "./order.ts";
import { serve } from "./server.ts";

const description = readFileSync(
  join(import.meta.dirname, "../endtoend/documents/post-full/orders.yaml"),
  "utf8",
);
const { schema } = parse(description).paths["/in"].post.requestBody.content["application/json"];
const isOrder = new Ajv2020().compile<Order>(schema);

interface Policy {
  readonly rate: number;
  readonly allows: (method: string | undefined, url: string | undefined) => boolean;
}

const publishers: Policy = {
  rate: 1_000_000_000,
  allows: (method, url) => method === "POST" && url === "/in",
};
const policies = new Map([["9fad722d597c2445b4f81534084f54c3a24f6c12c0d95cc9d3fb70d2e8d3cb0c", publishers]]);
/** Number of requests per key in the current second. */
const counts = new Map<string, number>();
setInterval(() => counts.clear(), 1000);

serve((body, answer, request) => {
  const key = request.headers["x-api-key"];
  const id = typeof key === "string" ? hash("sha256", key, "hex") : "";
  const policy = policies.get(id);
  if (policy === undefined) return answer(401);
  if (!policy.allows(request.method, request.url)) return answer(403);
  const count = (counts.get(id) ?? 0) + 1;
  if (count > policy.rate) return answer(429);
  counts.set(id, count);
  let order: unknown;
  try {
    order = JSON.parse(body.toString("utf8"));
  } catch {
    return answer(422);
  }
  if (!isOrder(order)) return answer(422);
  send({ value: mapParsed(order) }, answer);
});
