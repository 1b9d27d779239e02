// A gateway that runs as its own process, for the tests of main.ts. It serves `/new` as the environment specifies.

import type { Input, Output } from "../../../runtime/component/component.ts";
import type { HttpEndpoint } from "../../../runtime/component/endpoint.ts";
import { defineGateway } from "../../../runtime/gateway.ts";
import { runMain } from "../../../runtime/main.ts";

const endpoint: HttpEndpoint = {
  transport: "http",
  verbs: ["GET"],
  path: "/slow",
  async handle({ request, response }) {
    console.log("request in flight");
    for await (const _ of request);
    // The request ends when the caller sends SIGTERM, which also stops the gateway, or SIGUSR2.
    for (const signal of ["SIGTERM", "SIGUSR2"]) {
      process.once(signal, () => setImmediate(() => response.end("finished")));
    }
  },
};
const input: Input = { endpoints: [endpoint], async start() {}, async close() {} };
const output: Output = { async start() {}, write: async () => ({}), async close() {} };

await runMain(
  defineGateway({
    streaming: { enabled: true },
    apis: [
      {
        id: "a",
        listenPath: "/",
        streams: { s: (env) => ({ input: { ...input, token: env.text("TOKEN", "none") }, output }) },
      },
    ],
  }),
);
