// `uniqueItems` of schemas in time linear in the size of the list: ajv compares each item with each other.

/** Whether no two items are equal as JSON; the order of an object's keys does not matter. */
export function hasUniqueItems(items: readonly unknown[]): boolean {
  const met = new Set<string>();
  for (const item of items) met.add(print(item));
  return met.size === items.length;
}

function print(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(print).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, each]) => `${JSON.stringify(name)}:${print(each)}`).join()}}`;
}
