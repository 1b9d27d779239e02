import { addressFormat } from "./addresses.ts";
import type { Format } from "./format.ts";

/** A memcached server. */
export const memcachedAddress: Format = addressFormat(["memcached"], {
  title: "the address of a memcached server",
  example: "localhost:11211",
  isSchemeOptional: true,
});

/** The prefix of memcached keys: without spaces and control characters, which separate the words of a command. */
export const memcachedPrefix: Format = {
  title: "the beginning of memcached keys",
  pattern: /^[^\0- \x7f\p{Cs}]*$/u,
  faults: [[/[\0- \x7f]/, "it contains a blank or a control character"]],
  otherwise: "it contains unpaired surrogates",
  longest: 200,
  example: "orders:",
};
