// API descriptions to check: a large one, and any number of small ones.

/** Returns a description with `size` resources and two streams: about 2 kB of JSON for each resource. */
export function createLargeDescription(size: number): unknown {
  const resources = Array.from({ length: size }, (_, index) => index);
  return {
    ...header("Large"),
    paths: Object.fromEntries(resources.map((index) => [`/resources${index}/{id}`, operationsOf(index)])),
    components: {
      schemas: Object.fromEntries(resources.map((index) => [`Resource${index}`, schemaOf(index, size)])),
    },
    "x-gw-streaming": {
      streams: { first: streamOf("first", "Resource7"), second: streamOf("second", "Resource9") },
    },
  };
}

/** Returns a document of a set, with its own listen path and `streams` streams. */
export function createSetDocument(index: number, streams: number): unknown {
  const names = Array.from({ length: streams }, (_, stream) => `stream ${stream}`);
  return {
    ...header(`API ${index}`),
    paths: {},
    components: { schemas: { Resource0: schemaOf(0, 1) } },
    "x-gw-api-gateway": {
      info: { name: `API ${index}` },
      server: { listenPath: { value: `/api-${index}/` } },
    },
    "x-gw-streaming": {
      streams: Object.fromEntries(names.map((name, at) => [name, streamOf(`s${at}`, "Resource0")])),
    },
  };
}

function header(title: string) {
  return { openapi: "3.1.1", info: { title, version: "1" } };
}

function streamOf(path: string, schema: string) {
  const mapping = [
    "root = this",
    "root.total = this.amount.or(0) * 2",
    "root.name = this.name.uppercase()",
    'root.tags = this.tags.or([]).filter(tag -> tag != "internal")',
    'root.kind = if this.amount.or(0) > 100 { "large" } else { "small" }',
  ];
  return {
    input: { http_server: { path: `/${path}/in` }, schema: { $ref: `#/components/schemas/${schema}` } },
    pipeline: { processors: [{ mapping: mapping.join("\n") }] },
    output: { kafka: { addresses: ["localhost:9092"], topic: path } },
  };
}

function operationsOf(index: number) {
  const content = { "application/json": { schema: { $ref: `#/components/schemas/Resource${index}` } } };
  const id = { name: "id", in: "path", required: true, schema: { type: "string", format: "uuid" } };
  return {
    parameters: [id],
    get: {
      operationId: `get${index}`,
      summary: `Get resource ${index} by its id, with everything that belongs to it`,
      parameters: [
        { name: "expand", in: "query", schema: { type: "array", items: { enum: ["a", "b", "c"] } } },
      ],
      responses: { 200: { description: "The resource", content }, 404: { description: "Not found" } },
    },
    post: {
      operationId: `post${index}`,
      requestBody: { required: true, content },
      responses: { 201: { description: "Created" } },
    },
  };
}

function schemaOf(index: number, size: number) {
  return {
    type: "object",
    required: ["id", "name"],
    properties: {
      id: { type: "string", format: "uuid", description: "Identifies it" },
      name: { type: "string", maxLength: 200 },
      amount: { type: "number", minimum: 0 },
      tags: { type: "array", items: { type: "string" } },
      nested: {
        type: "object",
        properties: {
          a: { type: "integer" },
          next: { $ref: `#/components/schemas/Resource${(index + 1) % size}` },
        },
      },
    },
  };
}
