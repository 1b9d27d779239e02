// What components are called in messages, by what they do in a stream.

export type Role = "input" | "processor" | "output" | "scanner" | "buffer" | "cache" | "rate_limit";

/** `rate limit` */
export const roleNames: Readonly<Record<Role, string>> = {
  input: "input",
  processor: "processor",
  output: "output",
  scanner: "scanner",
  buffer: "buffer",
  cache: "cache",
  rate_limit: "rate limit",
};

/** `a rate limit` */
export const rolesWithArticle: Readonly<Record<Role, string>> = {
  input: "an input",
  processor: "a processor",
  output: "an output",
  scanner: "a scanner",
  buffer: "a buffer",
  cache: "a cache",
  rate_limit: "a rate limit",
};
