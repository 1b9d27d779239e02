// Files, file paths, and addresses looked up in MaxMind databases. They are implemented in runtime/mapping/files.ts
// and geoip.ts.

import { type Builtin, type Details, fn, method, parameter } from "./builtin.ts";
import { unlessTexts } from "./results/elements.ts";
import { texts } from "./results/shapes.ts";
import { always } from "./results/target.ts";

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

const module = "files.ts";
const reading: Details = {
  pure: false,
  plugin: true,
  capability: "files",
  state: { symbol: "createFile", when: "literal" },
};
const path = parameter("path", "string");
const again = parameter("no_cache", "bool", false);

export const files: readonly Builtin[] = [
  fn(module, "file", "The bytes of a file, read once where its path is a literal.", {
    ...reading,
    returns: "bytes",
    args: [path, again],
  }),
  fn(module, "file_rel", "The bytes of a file named relative to the mapping's own.", {
    ...reading,
    returns: "bytes",
    args: [path, again],
    needs: "folder",
  }),
  fn(module, "file_rel_json", "The document in a file named relative to the mapping's own.", {
    ...reading,
    args: [path],
    needs: "folder",
  }),
  method("files.ts", "filepath_join", "The elements of an array as one clean path.", {
    targets: ["array"],
    returns: "string",
    fails: unlessTexts,
  }),
  method("files.ts", "filepath_split", "The folder with its last slash, and the name.", {
    targets: ["string", "bytes", "timestamp"],
    returns: "array",
    result: always(texts),
    canFail: false,
  }),
];
