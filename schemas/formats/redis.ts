import { addressFormat } from "./addresses.ts";

/** A Redis server. */
export const redisAddress = addressFormat(["redis", "rediss", "tcp"], {
  title: "the address of a Redis server",
  example: "redis://localhost:6379",
  isSchemeOptional: false,
});
