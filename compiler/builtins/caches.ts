// Functions that use the caches of a stream. They are implemented in runtime/mapping/caches.ts.

import { type Builtin, type Details, fn, parameter } from "./builtin.ts";

const module = "caches.ts";
/** The name of the cache must be known at compile time. */
const resource = { ...parameter("resource", "string"), literal: true };
const key = parameter("key", "string");
const value = parameter("value", "string");
const shared: Details = { plugin: true, pure: false, needs: "cache" };

export const caches: readonly Builtin[] = [
  fn(module, "cache_get", "The value of a key; fails where there is none.", {
    ...shared,
    args: [resource, key],
    returns: "bytes",
  }),
  fn(module, "cache_set", "Writes a value; null.", {
    ...shared,
    args: [resource, key, value],
    returns: "null",
    canFail: false,
  }),
  fn(module, "cache_add", "Writes a value, and gives it; fails where the key is there.", {
    ...shared,
    args: [resource, key, value],
    returns: "string",
  }),
  fn(module, "cache_delete", "Removes a key where it is there; null.", {
    ...shared,
    args: [resource, key],
    returns: "null",
    canFail: false,
  }),
];
