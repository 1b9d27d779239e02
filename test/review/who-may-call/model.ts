// Random APIs for the campaign, as a minimal model for the oracle, and the documents that they represent.

import fc from "fast-check";

/** The credential that an operation requires: nothing, a key, or a user with a password. */
export type Asked = "nothing" | "key" | "user";

/** One operation. */
export interface Operation {
  /** The method in capitals. */
  readonly method: string;
  /** The path below the listen path; `{id}` stands for a segment. */
  readonly path: string;
  readonly asks: Asked;
  /** Whether its query parameter `n`, a number, is required and validated. */
  readonly isValidated: boolean;
  /** The maximum number of requests with the limited key, if it has its own limit for the operation. */
  readonly limit?: number;
}

/** One API. To extend the campaign, add a field here, its text in `documentOf` and its meaning in `oracle.ts`. */
export interface Api {
  readonly id: string;
  /** The requirement for requests that match no operation. */
  readonly asks: Asked;
  readonly operations: readonly Operation[];
  /** The path of a stream that accepts POST, if the API has one; a trailing slash makes it a prefix route. */
  readonly stream?: string;
}

const paths = [
  "/items",
  "/items/{id}",
  "/items/new",
  "/Rooms",
  "/rooms/{id}/seats",
  "/a/b",
  "/a.json",
  "/v1/{id}/",
  "/in/{id}",
  "/in/x",
];
const methods = ["GET", "POST", "PUT", "DELETE"];
const asked = fc.constantFrom<Asked>("nothing", "key", "user");

const operation = fc.record({
  method: fc.constantFrom(...methods),
  path: fc.constantFrom(...paths),
  asks: asked,
  isValidated: fc.boolean(),
  limit: fc.option(fc.constantFrom(1, 2), { nil: undefined, freq: 2 }),
});

const streams = ["/in/", "/in/deep/", "/in"];

const api = fc
  .record({
    asks: fc.constantFrom<Asked>("key", "user", "nothing"),
    operations: fc.uniqueArray(operation, {
      minLength: 1,
      maxLength: 6,
      selector: ({ method, path }) => `${method} ${path}`,
    }),
    stream: fc.option(
      fc.record({ path: fc.constantFrom(...streams), asks: asked, isValidated: fc.boolean() }),
    ),
  })
  .map(({ asks, operations, stream }): Omit<Api, "id"> => {
    const own = operations.map(
      ({ limit, ...each }): Operation => ({
        ...each,
        // Limits are counted by key.
        ...(limit !== undefined && each.asks === "key" && { limit }),
      }),
    );
    if (stream === null) return { asks, operations: own };
    const { path, ...rest } = stream;
    return { asks, operations: [...own, { method: "POST", path, ...rest }], stream: path };
  });

/** Returns the APIs for a seed. */
export function createApis(seed: number, count: number): readonly Api[] {
  return fc.sample(api, { seed, numRuns: count }).map((each, index) => ({ ...each, id: `api-${index}` }));
}

/** The credentials of the campaign; documents contain only hashes of the keys. */
export const credentials = {
  key: "the key that holds",
  limited: "the key with limits",
  user: "ann",
  password: "blue",
};

/** Returns the document of an API whose upstream is `${UPSTREAM}`. */
export function documentOf({ id, asks, operations, stream }: Api): object {
  const byPath = Map.groupBy(operations, ({ path }) => path);
  return {
    openapi: "3.1.0",
    info: { title: id, version: "1" },
    servers: [{ url: `https://gateway.test/${id}` }],
    paths: Object.fromEntries(
      [...byPath].map(([path, list]) => [path, Object.fromEntries(list.map((each) => describe(each)))]),
    ),
    components: {
      securitySchemes: {
        key: { type: "apiKey", in: "header", name: "X-Api-Key" },
        user: { type: "http", scheme: "basic" },
      },
    },
    security: requirementsOf(asks),
    "x-gw-api-gateway": {
      info: { id, name: id, state: { active: true } },
      server: {
        listenPath: { value: `/${id}/` },
        // Authentication that is enabled but required by nothing is an error (GW4201).
        ...([asks, ...operations.map((each) => each.asks)].some((each) => each !== "nothing") && {
          authentication: {
            enabled: true,
            securityProcessingMode: "compliant",
            securitySchemes: { key: { enabled: true }, user: { enabled: true } },
          },
        }),
      },
      upstream: { url: `\${UPSTREAM}/${id}` },
      middleware: {
        operations: Object.fromEntries(
          operations
            .filter(({ isValidated }) => isValidated)
            .map((each) => [operationId(each), { validateRequest: { enabled: true } }]),
        ),
      },
    },
    ...(stream !== undefined && {
      "x-gw-streaming": {
        streams: {
          taken: {
            input: { http_server: { path: stream, allowed_verbs: ["POST"] } },
            output: {
              http_client: {
                url: `\${UPSTREAM}/streams/${id}`,
                verb: "POST",
                headers: { "X-Try": '${! @."X-Try" }', "X-Path": "${! @http_server_request_path }" },
              },
            },
          },
        },
      },
    }),
  };
}

/** Returns the settings for the documents, and the keys that may call all of them. */
export function settingsOf(apis: readonly Api[]): object {
  const rights = apis.map(({ id }) => [id, {}]);
  const limited = apis.map(({ id, operations }) => [
    id,
    {
      endpoints: operations
        .filter(({ limit }) => limit !== undefined)
        .map(({ path, method, limit }) => ({
          path,
          methods: [{ name: method, limit: { rate: limit, per: 86_400 } }],
        })),
    },
  ]);
  return {
    streaming: { enabled: true },
    apis: apis.map(({ id }) => `${id}.json`),
    listen: { address: "127.0.0.1:0", tls: { cert_file: "${CERT}", key_file: "${CERT_KEY}" } },
    policies: [
      { id: "all", access_rights: Object.fromEntries(rights) },
      { id: "limited", access_rights: Object.fromEntries(limited) },
    ],
    keys: [
      { alias: "all", key_hash: "${KEY_HASH}", apply_policies: ["all"] },
      { alias: "limited", key_hash: "${LIMITED_HASH}", apply_policies: ["limited"] },
      {
        username: credentials.user,
        basic_auth_data: { password: "${PASSWORD_HASH}" },
        apply_policies: ["all"],
      },
    ],
  };
}

function describe({ isValidated, ...operation }: Operation): readonly [string, object] {
  const path = operation.path.includes("{id}")
    ? [{ name: "id", in: "path", required: true, schema: { type: "string" } }]
    : [];
  const query = { name: "n", in: "query", required: isValidated, schema: { type: "integer" } };
  return [
    operation.method.toLowerCase(),
    {
      operationId: operationId(operation),
      parameters: [...path, query],
      security: requirementsOf(operation.asks),
      responses: { "200": { description: "Done." } },
    },
  ];
}

function operationId({ method, path }: Pick<Operation, "method" | "path">): string {
  return `${method}${path.replaceAll(/\W/g, "_")}`;
}

function requirementsOf(asks: Asked): readonly object[] {
  // An explicit empty requirement: with an empty list, undeclared paths would inherit the requirements of operations.
  return asks === "nothing" ? [{}] : [{ [asks]: [] }];
}
