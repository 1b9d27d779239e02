// Tells objects from the other values of JSON.

/** Whether a value is an object with names, rather than `null`, a list or a scalar. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
