import { ofFile, type RecordSchemaFile } from "../portal/records.ts";
import change from "./change.schema.json" with { type: "json" };
import deployment from "./deployment.schema.json" with { type: "json" };
import gatewayReport from "./gateway-report.schema.json" with { type: "json" };
import offer from "./offer.schema.json" with { type: "json" };
import seenMessages from "./seen-messages.schema.json" with { type: "json" };
import user from "./user.schema.json" with { type: "json" };

/** The schemas of the management service's requests and responses, by the name of the type. */
export const managementRecords: Readonly<Record<string, RecordSchemaFile>> = {
  Change: ofFile(change),
  Deployment: ofFile(deployment),
  GatewayReport: ofFile(gatewayReport),
  Offer: ofFile(offer),
  SeenMessages: ofFile(seenMessages),
  User: ofFile(user),
};
