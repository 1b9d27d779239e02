import type { OptionRule } from "../component.ts";

/** Each kind of server needs certain fields: sentinels need a `master`, and a single server has one address. */
export const redisServers: OptionRule = (options) => {
  const kind = options.literal("kind") ?? "simple";
  const url = options.literal("url");
  const isMany = typeof url === "string" && /,(?:rediss?|tcp):\/\//i.test(url);
  if (kind === "failover" && !options.isSet("master")) {
    return [
      {
        field: "kind",
        message: "sentinels have to know which servers are meant.",
        hint: "Add `master`, the name under which the sentinels know the servers.",
      },
    ];
  }
  if (kind === "simple" && isMany) {
    return [
      {
        field: "url",
        message: "`kind: simple` connects to one server, and `url` names several.",
        hint: "Name one server, or choose `kind: cluster` or `kind: failover`.",
      },
    ];
  }
  return [];
};
