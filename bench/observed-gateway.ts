// The gateway process of `observed.ts`. With the argument `prometheus` it collects metrics, otherwise it does not.

import { measure } from "../runtime/analytics/measure.ts";
import { observe } from "../runtime/analytics/observe.ts";
import { prometheus } from "../runtime/analytics/prometheus.ts";
import { dropOutput } from "../runtime/connectors/drop/output.ts";
import { plainHttpServerInput } from "../runtime/connectors/http-server/input.ts";
import { serveGateway } from "../runtime/gateway/serve.ts";
import { createLogger } from "../runtime/process/log.ts";
import { reportOnRequest } from "./reporting-gateway.ts";

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
reportOnRequest(gateway);
