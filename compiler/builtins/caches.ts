// Functions that use the caches of a stream. They are implemented in runtime/mapping/caches.ts.

import { type Builtin, type Details, fn, parameter } from "./builtin.ts";

const module = "caches.ts";
/** The name of the cache must be known at compile time. */
const resource = { ...parameter("resource", "string"), literal: true };
const key = parameter("key", "string");
const value = parameter("value", "string");
const shared: Details = { plugin: true, pure: false, needs: "cache" };

export const caches: readonly Builtin[] = [
  fn(module, "cache_get", "The value of a key. Fails if the key does not exist.", {
    ...shared,
    args: [resource, key],
    returns: "bytes",
  }),
  fn(module, "cache_set", "Writes a value. Returns null.", {
    ...shared,
    args: [resource, key, value],
    returns: "null",
    canFail: false,
  }),
  fn(module, "cache_add", "Writes a value and returns it. Fails if the key exists.", {
    ...shared,
    args: [resource, key, value],
    returns: "string",
  }),
  fn(module, "cache_delete", "Deletes a key if it exists. Returns null.", {
    ...shared,
    args: [resource, key],
    returns: "null",
    canFail: false,
  }),
];
