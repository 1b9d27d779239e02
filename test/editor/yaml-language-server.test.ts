import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { wholeDocumentSchema } from "../../schemas/whole-document.ts";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { type LanguageClient, startLanguageServer } from "./language-client.ts";

const tests = suite<{ client: LanguageClient }>("yaml-language-server");

tests.before(async (context) => {
  context.client = await startLanguageServer();
});

tests.after(async ({ client }) => {
  await client.close();
});

const schemaFile = join(temporaryDirectory("schema"), "sluice.schema.json");
writeFileSync(schemaFile, JSON.stringify(wholeDocumentSchema()));

/** The line that editor/README.md tells people to write. */
const modeline = `# yaml-language-server: $schema=${pathToFileURL(schemaFile)}`;

const head = `${modeline}
openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
    orders:
      output:
        http_server: { stream_path: /events }
      input:
        label: Orders
        kafka:
`;

tests("a misspelt field is marked at its key", async ({ client }) => {
  const text = `${head}          addresses: [localhost:9092]\n          topcs: [orders]\n`;
  const found = await client.diagnose(text);
  const unknown = found.find(({ message }) => String(message).includes("topcs"));
  assert.equal(unknown?.range.start, { line: 13, character: 10 });
  assert.equal(unknown?.range.end, { line: 13, character: 15 });
});

tests("values that do not fit are marked", async ({ client }) => {
  const fields = "          addresses: [a:9092]\n          topics: [orders]\n";
  const text = `${head}${fields}          commit_period: 5 parsecs\n          checkpoint_limit: 0\n`;
  const found = await client.diagnose(text);
  const lines = found.map(({ range }) => range.start.line).sort((a, b) => a - b);
  assert.equal(lines, [14, 15]);
});

tests("the fields of a connector are proposed inside it", async ({ client }) => {
  const text = `${head}          addresses: [localhost:9092]\n          \n`;
  const labels = await client.complete(text, { line: 13, character: 10 });
  for (const field of ["topics", "consumer_group", "client_id", "start_from_oldest", "commit_period"]) {
    assert.ok(labels.includes(field), `${field} is not among ${labels.join(", ")}`);
  }
  assert.not(labels.includes("addresses"), "a field that is there is proposed again");
});

tests("the values of an enum are proposed", async ({ client }) => {
  const output = `          stream_path: /events\n          stream_format: \n`;
  const text = `${head.replace("http_server: { stream_path: /events }", `http_server:\n${output.trimEnd()} `)}`;
  const line = text.split("\n").findIndex((each) => each.includes("stream_format"));
  const labels = await client.complete(text, { line, character: "          stream_format: ".length });
  assert.ok(labels.includes("event_source") && labels.includes("raw_bytes"), labels.join(", "));
});

tests("connectors are proposed where one belongs", async ({ client }) => {
  const text = head.replace("        kafka:\n", "        \n");
  const labels = await client.complete(text, { line: 11, character: 8 });
  for (const name of ["kafka", "nats", "mqtt", "http_server", "http_client", "broker", "websocket_server"]) {
    assert.ok(labels.includes(name), `${name} is not among ${labels.join(", ")}`);
  }
});

tests("a field is explained under the pointer", async ({ client }) => {
  const text = `${head}          consumer_group: orders\n`;
  assert.match(await client.hover(text, { line: 12, character: 14 }), "stores the offsets");
});

tests("the examples are clean", async ({ client }) => {
  const names = ["chat/chat", "high-value-orders/orders", "legacy-modernisation/inventory"];
  for (const name of [...names, "orchestration/orchestration", "quickstart/orders"]) {
    const text = readFileSync(join(projectRoot, "examples", `${name}.yaml`), "utf8");
    assert.equal(await client.diagnose(`${modeline}\n${text}`), [], name);
  }
});

tests.run();
