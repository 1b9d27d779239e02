import * as assert from "uvu/assert";
import type {
  CallHierarchyIncomingCall,
  CallHierarchyItem,
  CallHierarchyOutgoingCall,
  CompletionList,
  Location,
  WorkspaceEdit,
} from "vscode-languageserver-protocol";
import { applied, type Editor, editorSuite, editsOf } from "./client.ts";

const gateway = `streaming: { enabled: true }
apis: [orders.yaml, audit.yaml]
policies:
  - id: readers
    access_rights:
      orders:
        allowed_urls:
          - { url: ^/new$, methods: [POST] }
keys:
  - alias: shop
    key_hash: ${"0".repeat(64)}
    apply_policies: [readers]
oauth_clients:
  - client_id: page
    secret_hash: ${"0".repeat(64)}
    policy_id: readers
`;

const orders = `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
servers: [{ url: "https://shop.example/orders" }]
paths: {}
x-gw-api-gateway:
  info: { id: orders, name: Orders }
  server: { listenPath: { value: /orders/ } }
x-gw-streaming:
  streams:
    intake:
      input: { http_server: { path: "/new/{id}" } }
      output: { kafka: { addresses: ["\${KAFKA:localhost:9092}"], topic: placed } }
    billing:
      input: { kafka_franz: { seed_brokers: ["\${KAFKA:localhost:9092}"], topics: ["paid,placed"], consumer_group: a } }
      output: { mqtt: { urls: [tcp://localhost:1883], client_id: a, topic: shop/bills } }
    elsewhere:
      input: { kafka: { addresses: [other:9092], topics: [placed], consumer_group: a } }
      output: { drop: {} }
`;

const audit = `openapi: 3.1.0
info: { title: Audit, version: 1.0.0 }
paths: {}
x-gw-api-gateway:
  info: { id: audit, name: Audit }
  server: { listenPath: { value: /audit/ } }
x-gw-streaming:
  streams:
    letters:
      input: { mqtt: { urls: [tcp://localhost:1883], client_id: b, topics: [shop/+] } }
      output: { http_server: { stream_path: /letters } }
    copies:
      input: { kafka: { addresses: ["\${KAFKA:localhost:9092}"], topics: [ placed, other ], consumer_group: b } }
      output: { drop: {} }
`;

const texts: Readonly<Record<string, string>> = {
  "gateway.yaml": gateway,
  "orders.yaml": orders,
  "audit.yaml": audit,
};

const tests = editorSuite("what streams and documents of a set name together", texts, async (editor) => {
  for (const [name, text] of Object.entries(texts)) await editor.open(name, text);
});

const offset = (name: string, marker: string, more = 0) => {
  const at = texts[name]?.indexOf(marker) ?? -1;
  assert.not.equal(at, -1, marker);
  return at + more;
};

/** The documents after a rename, but for what did not change. */
async function renamed(editor: Editor, name: string, at: number, newName: string) {
  const edit = await editor.ask<WorkspaceEdit>("textDocument/rename", name, at, { newName });
  const changed = Object.entries(texts).map(([each, text]) => [
    each,
    applied(text, editsOf(edit, editor.uri(each))),
  ]);
  return Object.fromEntries(changed) as Record<string, string>;
}

tests("a topic is renamed wherever streams of the set name it on the same broker", async ({ editor }) => {
  for (const at of [offset("orders.yaml", "topic: placed", 8), offset("orders.yaml", "paid,placed", 6)]) {
    const after = await renamed(editor, "orders.yaml", at, "taken");
    assert.is(
      after["orders.yaml"],
      orders.replace("topic: placed", "topic: taken").replace("paid,placed", "paid,taken"),
    );
    assert.is(after["audit.yaml"], audit.replace("[ placed,", "[ taken,"));
  }
});

tests("definition of a topic is who writes it, references are who reads it", async ({ editor }) => {
  const at = offset("audit.yaml", "[ placed", 3);
  const [written, ...others] = await editor.ask<Location[]>("textDocument/definition", "audit.yaml", at);
  assert.equal(others, []);
  assert.is(written?.uri, editor.uri("orders.yaml"));
  assert.is(
    written?.range.start.line,
    orders.slice(0, orders.indexOf("topic: placed")).split("\n").length - 1,
  );
  const context = { includeDeclaration: false };
  const found = await editor.ask<Location[]>("textDocument/references", "audit.yaml", at, { context });
  assert.equal(found.map(({ uri }) => uri).toSorted(), [editor.uri("audit.yaml"), editor.uri("orders.yaml")]);
});

tests("the call hierarchy leads from topic to topic", async ({ editor }) => {
  const prepare = async (name: string, marker: string) => {
    const items = await editor.ask<CallHierarchyItem[]>(
      "textDocument/prepareCallHierarchy",
      name,
      offset(name, marker),
    );
    assert.is(items.length, 1);
    return items[0] as CallHierarchyItem;
  };
  const calls = async (item: CallHierarchyItem) => {
    const incoming = await editor.request<CallHierarchyIncomingCall[]>("callHierarchy/incomingCalls", {
      item,
    });
    const outgoing = await editor.request<CallHierarchyOutgoingCall[]>("callHierarchy/outgoingCalls", {
      item,
    });
    const through = (each: CallHierarchyIncomingCall | CallHierarchyOutgoingCall) =>
      each.fromRanges.map(({ start, end }) => `${start.line}:${start.character}-${end.character}`).join(" ");
    return {
      from: incoming.map((each) => `${each.from.name} (${each.from.detail}) ${through(each)}`),
      to: outgoing.map((each) => `${each.to.name} (${each.to.detail}) ${through(each)}`),
    };
  };
  const intake = await prepare("orders.yaml", "intake:");
  assert.is(intake.name, "intake");
  assert.equal(await calls(intake), {
    from: [],
    to: ["billing (placed) 11:72-78", "copies (placed) 11:72-78"],
  });
  // From the middle of a stream, over a filter of MQTT, into another document.
  assert.equal(await calls(await prepare("orders.yaml", "seed_brokers")), {
    from: ["intake (placed) 11:72-78"],
    to: ["letters (shop/+) 14:75-85"],
  });
  assert.equal(await calls(await prepare("audit.yaml", "letters:")), {
    from: ["billing (shop/bills) 14:75-85"],
    to: [],
  });
  assert.equal(await calls(await prepare("orders.yaml", "elsewhere:")), { from: [], to: [] });
});

tests("policies and APIs are renamed where keys, clients and access rights name them", async ({ editor }) => {
  const policy = await renamed(editor, "gateway.yaml", offset("gateway.yaml", "[readers]", 2), "staff");
  assert.is(policy["gateway.yaml"], gateway.replaceAll("readers", "staff"));
  const api = await renamed(editor, "orders.yaml", offset("orders.yaml", "id: orders", 5), "sales");
  assert.is(api["orders.yaml"], orders.replace("id: orders", "id: sales"));
  assert.is(api["gateway.yaml"], gateway.replace("      orders:", "      sales:"));
  const [declared] = await editor.ask<Location[]>(
    "textDocument/definition",
    "gateway.yaml",
    offset("gateway.yaml", "policy_id: readers", 12),
  );
  assert.is(declared?.range.start.line, 3);
});

tests("names that YAML reads as something else are refused", async ({ editor }) => {
  const at = offset("gateway.yaml", "[readers]", 2);
  for (const newName of ["true", "a: b", "- x", "", "a\nb", "#a"]) {
    const refused = await editor.ask("textDocument/rename", "gateway.yaml", at, { newName }).then(
      () => undefined,
      (error: Error) => error.message,
    );
    assert.match(refused ?? "", "cannot be the name of a policy", newName);
  }
});

tests("patterns of names and bindings of queues lead from stream to stream", async ({ editor }) => {
  const streams: Readonly<Record<string, readonly [input: string, output: string]>> = {
    a: ["drop", "kafka: { addresses: [k:1], topic: shop-orders }"],
    b: [
      "kafka_franz: { seed_brokers: [k:1], topics: ['^shop-.*s$'], regexp_topics: true, consumer_group: b }",
      "drop",
    ],
    c: ["kafka_franz: { seed_brokers: [k:1], topics: ['shop-.*'], consumer_group: c }", "drop"],
    d: ["drop", "redis_pubsub: { url: redis://r:1, channel: news.eu }"],
    e: ["redis_pubsub: { url: redis://r:1, channels: ['news.[e-f]*'], use_patterns: true }", "drop"],
    f: ["redis_pubsub: { url: redis://r:1, channels: ['news.*'] }", "drop"],
    g: ["drop", "amqp_0_9: { urls: [amqp://m:1], exchange: shop, key: orders.new.eu }"],
    h: [
      "amqp_0_9: { urls: [amqp://m:1], queue: q, bindings_declare: [{ exchange: shop, key: 'orders.#' }] }",
      "drop",
    ],
    i: [
      "amqp_0_9: { urls: [amqp://m:1], queue: r, bindings_declare: [{ exchange: shop, key: 'orders.*' }] }",
      "drop",
    ],
    j: ["drop", "amqp_0_9: { urls: [amqp://m:1], exchange: '', key: q }"],
  };
  const part = (text: string, otherwise: string) => (text === "drop" ? otherwise : `{ ${text} }`);
  const text = `openapi: 3.1.0
info: { title: Brokers, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
${Object.entries(streams)
  .map(
    ([name, [input, output]]) => `    ${name}:
      input: ${part(input, `{ http_server: { path: /${name} } }`)}
      output: ${part(output, "{ drop: {} }")}
`,
  )
  .join("")}`;
  await editor.open("brokers.yaml", text);
  const readersOf = async (name: string) => {
    const at = text.indexOf(`    ${name}:\n`) + 4;
    const [item] = await editor.ask<CallHierarchyItem[]>(
      "textDocument/prepareCallHierarchy",
      "brokers.yaml",
      at,
    );
    const calls = await editor.request<CallHierarchyOutgoingCall[]>("callHierarchy/outgoingCalls", { item });
    return calls.map(({ to }) => to.name).join(" ");
  };
  assert.is(await readersOf("a"), "b");
  assert.is(await readersOf("d"), "e");
  assert.is(await readersOf("g"), "h");
  assert.is(await readersOf("j"), "h");
  await editor.close("brokers.yaml");
});

/** The labels proposed after a part of a document was replaced by `text`, with the pointer at its end. */
async function proposed(
  editor: Editor,
  name: string,
  part: string,
  text: string,
): Promise<readonly string[]> {
  const start = offset(name, part);
  await editor.edit(name, start, start + part.length, text);
  const at = start + text.length;
  const { items } = await editor.ask<CompletionList>("textDocument/completion", name, at);
  await editor.edit(name, start, at, part);
  return items.map(({ label }) => label);
}

tests("what other documents of a set know is proposed", async ({ editor }) => {
  const cases: readonly (readonly [string, string, string, readonly string[]])[] = [
    ["gateway.yaml", "[readers]", "[", ["readers"]],
    ["gateway.yaml", "[readers]", '[one, "', ["readers"]],
    ["gateway.yaml", "policy_id: readers", "policy_id: ", ["readers"]],
    ["gateway.yaml", "url: ^/new$", "url: ", ["^/new/[^/]+$"]],
    ["gateway.yaml", "methods: [POST]", "methods: [", ["POST"]],
    ["gateway.yaml", "      orders:\n", "      o", ["orders", "audit"]],
    ["orders.yaml", "value: /orders/", "value: ", ["/orders/"]],
    ["orders.yaml", "topic: placed", "topic: ", ["placed", "other", "paid"]],
    ["audit.yaml", "[ placed", "[ ", ["placed", "paid"]],
    ["audit.yaml", 'addresses: ["${KAFKA:localhost:9092}"]', 'addresses: ["${K', ["KAFKA"]],
  ];
  for (const [name, part, text, wanted] of cases) {
    const labels = await proposed(editor, name, part, text);
    for (const each of wanted)
      assert.ok(labels.includes(each), `${each} after ${text}: ${labels.join(", ")}`);
  }
  assert.not.ok((await proposed(editor, "orders.yaml", "topic: placed", "topic: ")).includes("shop/bills"));
});

tests.run();
