// A gateway in a process of its own, for `observed.ts`: with `prometheus` as argument it counts, else nothing listens.
// Tells its port when it serves, and its CPU time in microseconds whenever it is asked.

import { measure } from "../runtime/analytics/measure.ts";
import { observe } from "../runtime/analytics/observe.ts";
import { prometheus } from "../runtime/analytics/prometheus.ts";
import { dropOutput } from "../runtime/connectors/drop/output.ts";
import { plainHttpServerInput } from "../runtime/connectors/http-server/plain-input.ts";
import { createLogger } from "../runtime/log.ts";
import { serveGateway } from "../runtime/serve.ts";

const counts = process.argv[2] === "prometheus";
const gateway = await serveGateway(
  {
    streaming: { enabled: true },
    ...(counts && { analytics: () => observe(...measure(prometheus())) }),
    apis: [
      {
        id: "orders",
        listenPath: "/orders/",
        streams: {
          intake: () => ({ input: plainHttpServerInput({ path: "/in/{id}" }), output: dropOutput({}) }),
        },
      },
    ],
  },
  {
    environment: { GW_LISTEN: "127.0.0.1:0", GW_ADMIN_LISTEN: "127.0.0.1:0" },
    log: createLogger("silent"),
  },
);
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
process.on("disconnect", () => gateway.close());
process.send?.(Number(new URL(gateway.addresses.gateway).port));
