// Functions on the caches of a stream. The compiler replaces the label of a cache by the cache.

import type { SyncCache } from "../component/resource.ts";
import { MappingError } from "../errors.ts";
import type { Value } from "../message/value.ts";
import { encodeUtf8 } from "../text/utf8.ts";
import { textArgument } from "./arguments.ts";

/** `cache_get(resource, key)` */
export function cacheGet(cache: SyncCache, key: Value): Value {
  const found = cache.get(textArgument("function 'cache_get'", "key", key));
  if (found === undefined) throw new MappingError("key does not exist");
  return found;
}

/** `cache_set(resource, key, value)` */
export function cacheSet(cache: SyncCache, key: Value, value: Value): Value {
  const name = textArgument("function 'cache_set'", "key", key);
  cache.set(name, encodeUtf8(textArgument("function 'cache_set'", "value", value)));
  return null;
}

/** `cache_add(resource, key, value)` */
export function cacheAdd(cache: SyncCache, key: Value, value: Value): Value {
  const name = textArgument("function 'cache_add'", "key", key);
  const text = textArgument("function 'cache_add'", "value", value);
  if (!cache.add(name, encodeUtf8(text))) throw new MappingError("key already exists");
  return text;
}

/** `cache_delete(resource, key)` */
export function cacheDelete(cache: SyncCache, key: Value): Value {
  cache.delete(textArgument("function 'cache_delete'", "key", key));
  return null;
}
