// Addresses looked up in MaxMind databases; the code is in runtime/mapping/geoip.ts.

import { type Builtin, method, parameter } from "./builtin.ts";

export const geoip: readonly Builtin[] = [
  lookup("geoip_city", "The city an IP address is in, by a MaxMind database."),
  lookup("geoip_country", "The country an IP address is in, by a MaxMind database."),
  lookup("geoip_asn", "The autonomous system an IP address belongs to, by a MaxMind database."),
  lookup("geoip_enterprise", "All a MaxMind enterprise database has of an IP address."),
  lookup("geoip_anonymous_ip", "Whether an IP address hides its user, by a MaxMind database."),
  lookup("geoip_connection_type", "How an IP address is connected, by a MaxMind database."),
  lookup("geoip_domain", "The domain of an IP address, by a MaxMind database."),
  lookup("geoip_isp", "The provider of an IP address, by a MaxMind database."),
];

function lookup(name: string, doc: string): Builtin {
  return method("geoip.ts", name, doc, {
    targets: ["string", "bytes"],
    returns: "object",
    pure: false,
    plugin: true,
    capability: "files",
    args: [parameter("path", "string")],
    state: { symbol: "createDatabase", when: "always" },
  });
}
