// Polyfills for Node 20: language features of Node 22 that the command line and the library use. Each file of
// their bundle with which a process begins imports this module first. On a newer Node nothing is replaced.

define(Promise, "withResolvers", <T>(): PromiseWithResolvers<T> => {
  let resolve!: PromiseWithResolvers<T>["resolve"];
  let reject!: PromiseWithResolvers<T>["reject"];
  const promise = new Promise<T>((...settle) => {
    [resolve, reject] = settle;
  });
  return { promise, resolve, reject };
});

define(Map, "groupBy", <K, T>(items: Iterable<T>, keyOf: (item: T, index: number) => K): Map<K, T[]> => {
  const groups = new Map<K, T[]>();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index++);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
});

define(Set.prototype, "union", function <T>(this: Set<T>, other: ReadonlySetLike<T>): Set<T> {
  const union = new Set(this);
  const keys = other.keys();
  for (let next = keys.next(); next.done !== true; next = keys.next()) union.add(next.value);
  return union;
});

/** Adds a method to a global in the same way as the language does, unless the global already has it. */
function define(owner: object, name: string, value: unknown): void {
  if (Object.hasOwn(owner, name)) return;
  Object.defineProperty(owner, name, { value, writable: true, configurable: true, enumerable: false });
}
