// What components are called in messages, by what they do in a stream.

export type Role = "input" | "processor" | "output" | "scanner" | "cache" | "rate_limit";

/** `rate limit` */
export const roleNames: Readonly<Record<Role, string>> = {
  input: "input",
  processor: "processor",
  output: "output",
  scanner: "scanner",
  cache: "cache",
  rate_limit: "rate limit",
};

/** `a rate limit` */
export const rolesWithArticle: Readonly<Record<Role, string>> = {
  input: "an input",
  processor: "a processor",
  output: "an output",
  scanner: "a scanner",
  cache: "a cache",
  rate_limit: "a rate limit",
};
