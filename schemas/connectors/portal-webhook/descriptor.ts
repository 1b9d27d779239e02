import { defineOutput, type OutputDescriptor } from "../../component.ts";
import output from "./output.schema.json" with { type: "json" };

/** The output `portal_webhook`. */
export const portalWebhookOutput: OutputDescriptor = defineOutput({
  name: "portal_webhook",
  schema: output,
  runtime: { module: "runtime/connectors/portal-webhook/output.ts", symbol: "portalWebhookOutput" },
  probe: { module: "runtime/connectors/portal-webhook/probe.ts", symbol: "probePortal" },
  variants: [
    {
      // A remote portal is called over HTTP.
      when: (options) => options.has("token"),
      runtime: {
        module: "runtime/connectors/portal-webhook/remote-output.ts",
        symbol: "remotePortalWebhookOutput",
      },
    },
  ],
  isPortalWebhook: true,
});
