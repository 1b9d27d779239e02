// Files, file paths, addresses looked up in MaxMind databases, and the caches of a stream. They are implemented in
// runtime/mapping/files.ts, geoip.ts and caches.ts.

import { type Builtin, type Details, fn, method, parameter } from "./builtin.ts";
import { unlessTexts } from "./results/elements.ts";
import { texts } from "./results/shapes.ts";
import { always } from "./results/target.ts";

export const geoip: readonly Builtin[] = [
  lookup("geoip_city", "The city of an IP address, from a MaxMind database."),
  lookup("geoip_country", "The country of an IP address, from a MaxMind database."),
  lookup("geoip_asn", "The autonomous system of an IP address, from a MaxMind database."),
  lookup("geoip_enterprise", "The full record of an IP address, from a MaxMind enterprise database."),
  lookup(
    "geoip_anonymous_ip",
    "Whether an IP address belongs to an anonymizing service, from a MaxMind database.",
  ),
  lookup("geoip_connection_type", "The connection type of an IP address, from a MaxMind database."),
  lookup("geoip_domain", "The domain of an IP address, from a MaxMind database."),
  lookup("geoip_isp", "The internet service provider of an IP address, from a MaxMind database."),
];

function lookup(name: string, doc: string): Builtin {
  return method("geoip.ts", name, doc, {
    targets: ["string", "bytes"],
    returns: "object",
    pure: false,
    capability: "files",
    args: [parameter("path", "string")],
    state: { symbol: "createDatabase", when: "always" },
  });
}

const module = "files.ts";
const reading: Details = {
  pure: false,
  capability: "files",
  state: { symbol: "createFile", when: "literal" },
};
const path = parameter("path", "string");
const again = parameter("no_cache", "bool", false);

export const files: readonly Builtin[] = [
  fn(module, "file", "The content of a file as bytes. The file is read once if its path is a literal.", {
    ...reading,
    returns: "bytes",
    args: [path, again],
  }),
  fn(module, "file_rel", "The content of a file as bytes. The path is relative to the file of the mapping.", {
    ...reading,
    returns: "bytes",
    args: [path, again],
    needs: "folder",
  }),
  fn(
    module,
    "file_rel_json",
    "The JSON document in a file. The path is relative to the file of the mapping.",
    {
      ...reading,
      args: [path],
      needs: "folder",
    },
  ),
  method("files.ts", "filepath_join", "Joins the elements of an array to one normalized path.", {
    targets: ["array"],
    returns: "string",
    fails: unlessTexts,
  }),
  method(
    "files.ts",
    "filepath_split",
    "Splits a path into the folder, with its trailing slash, and the file name.",
    {
      targets: ["string", "bytes", "timestamp"],
      returns: "array",
      result: always(texts),
      canFail: false,
    },
  ),
];

const cacheModule = "caches.ts";
/** The name of the cache must be known at compile time. */
const resource = { ...parameter("resource", "string"), literal: true };
const key = parameter("key", "string");
const value = parameter("value", "string");
const shared: Details = { pure: false, needs: "cache" };

export const caches: readonly Builtin[] = [
  fn(cacheModule, "cache_get", "The value of a key. Fails if the key does not exist.", {
    ...shared,
    args: [resource, key],
    returns: "bytes",
  }),
  fn(cacheModule, "cache_set", "Writes a value. Returns null.", {
    ...shared,
    args: [resource, key, value],
    returns: "null",
    canFail: false,
  }),
  fn(cacheModule, "cache_add", "Writes a value and returns it. Fails if the key exists.", {
    ...shared,
    args: [resource, key, value],
    returns: "string",
  }),
  fn(cacheModule, "cache_delete", "Deletes a key if it exists. Returns null.", {
    ...shared,
    args: [resource, key],
    returns: "null",
    canFail: false,
  }),
];
