// What two organisations may own, and the expected behaviour of the service for both.

export const names = ["red", "blue"] as const;
export type Name = (typeof names)[number];
export const marker = { red: "Zanzibar", blue: "Quetzal" } as const;
export const otherOf = { red: "blue", blue: "red" } as const;

export const ids = ["one", "two", "three"];
export const paths = ["/p/", "/p/x/", "/q/", "/Q/y/", "/r/", "/{any}/x/"];
/** A path that reaches an API with a listen path, and no other one of the same length. */
export const pathBelow = (listenPath: string): string => listenPath.replace("{any}", "w");
export const channels = ["c", "d"];
/** Assignments as in `management.yaml`. */
export const assigned = {
  red: { hosts: ["red.example", "*.Shared.example."], consumer_groups: ["red-", "both-"] },
  blue: { hosts: ["BLUE.example", "blue.shared.example"], consumer_groups: ["blue-", "both-blue-"] },
} as const;
/** Host names of requests in their spellings, with the organisations that own them. */
export const hosts: readonly (readonly [spelled: string, name: string, owner: Name | undefined])[] = [
  ["red.example", "red.example", "red"],
  ["RED.Example.:80", "red.example", "red"],
  ["a.shared.example", "a.shared.example", "red"],
  ["a.blue.shared.EXAMPLE:8080", "a.blue.shared.example", "red"],
  ["blue.shared.example", "blue.shared.example", "blue"],
  ["blue.example.", "blue.example", "blue"],
  ["shared.example", "shared.example", undefined],
  ["free.example:8080", "free.example", undefined],
];
/** The host names that a definition may set. */
export const domains = [
  undefined,
  undefined,
  "red.example",
  "blue.shared.example",
  "a.shared.example",
  "free.example",
];

export interface Api {
  readonly owner: Name;
  readonly path: string;
  /** The API's own host name. */
  readonly domain: string | undefined;
  readonly channel: string;
  readonly isKeyed: boolean;
  /** A number that increases with each text. */
  readonly text: number;
}

/** The present state, as both organisations can observe it. */
export interface Model {
  readonly apis: Map<string, Api>;
  readonly keys: { readonly owner: Name; readonly key: string; readonly api: string }[];
}

export interface World {
  /** The organisation that each id has belonged to since the service started. */
  readonly owners: Map<string, Name>;
  readonly served: string;
  manage(by: string, method: string, path: string, body?: object): Promise<Answered>;
  portal(by: Name, method: string, path: string, body?: object): Promise<Answered>;
  counter: number;
  /** The number of steps taken. */
  attempts: number;
  /** The number of calls that each organisation has counted. */
  readonly counted: Record<Name, number>;
}

export interface Answered {
  readonly status: number;
  readonly text: string;
}

/** A violated expectation of a command. */
export class Broken extends Error {}

export function ensure(holds: boolean, claim: string): void {
  if (!holds) throw new Broken(claim);
}

export function definition(id: string, { owner, path, domain, channel, isKeyed, text }: Api): object {
  const say = (words: string) => ({
    processors: [{ mapping: `root = "${marker[owner]} ${id} ${text} ${words}"` }],
  });
  return {
    openapi: "3.1.0",
    info: { title: `${marker[owner]} title`, version: "1.0.0", description: `${marker[owner]} described` },
    paths: {},
    ...(isKeyed && {
      components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Api-Key" } } },
      security: [{ key: [] }],
    }),
    "x-gw-api-gateway": {
      info: { id, name: `${marker[owner]} ${id}`, state: { active: true } },
      server: {
        listenPath: { value: path },
        ...(domain !== undefined && { customDomain: { name: domain } }),
        ...(isKeyed && { authentication: { enabled: true, securitySchemes: { key: { enabled: true } } } }),
      },
    },
    "x-gw-streaming": {
      streams: {
        say: {
          input: { http_server: { path: "/say" } },
          pipeline: say("says"),
          output: { sync_response: {} },
        },
        tally: {
          input: { http_server: { path: "/tally" } },
          pipeline: { processors: [{ mapping: 'root = count("calls").string()' }] },
          output: { sync_response: {} },
        },
        tell: { input: { http_server: { path: "/tell" } }, output: { inproc: channel } },
        hear: { input: { inproc: channel }, pipeline: say("hears"), output: { sync_response: {} } },
      },
    },
  };
}

export const segmentsOf = (path: string): readonly string[] => path.split("/").slice(1, -1);

const isParameter = (segment: string) => segment.startsWith("{");

/** Whether a path is below both listen paths. */
function isNested(one: string, other: string): boolean {
  const others = segmentsOf(other.toLowerCase());
  return segmentsOf(one.toLowerCase())
    .slice(0, others.length)
    .every((segment, index) => [segment, others[index] ?? ""].some(isParameter) || segment === others[index]);
}

/** Whether a path that is written out is below a listen path. */
export function isBelow(path: string, listenPath: string): boolean {
  const segments = segmentsOf(path);
  return segmentsOf(listenPath).every((each, index) =>
    isParameter(each) ? index < segments.length : each === segments[index],
  );
}

/** Orders listen paths of one request: exact segments come before parameters, and longer paths before shorter ones. */
export function comparePaths(one: string, other: string): number {
  const ranked = (path: string) =>
    `${segmentsOf(path)
      .map((each) => (isParameter(each) ? "1" : "0"))
      .join("")}2`;
  return ranked(one) < ranked(other) ? -1 : 1;
}

const ownerOf = (name: string | undefined) => hosts.find(([, each]) => each === name)?.[2];

export function isTaken({ apis }: Model, { owner, path, domain }: Api): boolean {
  const assignee = ownerOf(domain);
  if (assignee !== undefined && assignee !== owner) return true;
  return [...apis.values()].some((api) => {
    if (api.owner === owner) return false;
    if (domain !== undefined && api.domain !== undefined) return domain === api.domain;
    return isNested(api.path, path);
  });
}

/** Whether APIs of the same organisation conflict, which the compiler reports. */
export function isOwnClash({ apis }: Model, id: string, { owner, path }: Api): boolean {
  return [...apis].some(([other, api]) => other !== id && api.owner === owner && isNested(api.path, path));
}

/** Returns the organisation that owns a host name exclusively: by assignment, or by an API with that name. */
export function holderOf({ apis }: Model, name: string): Name | undefined {
  return ownerOf(name) ?? [...apis.values()].find(({ domain }) => domain === name)?.owner;
}
