// `npm run test:generated-client`: a client that AsyncAPI's own generator writes from the client's view of a description talks
// to the gateway. A program of its own, as the generator brings 700 packages.

import { cpSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { buildAndStart } from "../../e2e/gateway.ts";
import { projectRoot, temporaryDirectory } from "../../harness/directories.ts";
import { run } from "../../harness/processes.ts";
import { installFromNpm, installFromPypi } from "../../harness/registry-packages.ts";
import { sluice } from "../../harness/sluice.ts";

const chat = `openapi: 3.1.0
info: { title: Chat, version: 1.0.0 }
paths: {}
components:
  schemas:
    Line: { type: object, required: [text], properties: { text: { type: string } } }
x-gw-api-gateway:
  info: { id: chat, name: Chat, state: { active: true } }
  server: { listenPath: { value: /chat/ } }
x-gw-streaming:
  streams:
    talk:
      input: { websocket_server: { path: /talk }, schema: { $ref: "#/components/schemas/Line" } }
      pipeline: { processors: [{ mapping: "root.text = this.text.uppercase()" }] }
      output: { websocket_server: { path: /talk } }
`;

/** The part of the generator that is used here. */
interface Generator {
  generateFromFile(file: string): Promise<void>;
}
type GeneratorClass = new (template: string, folder: string, options: object) => Generator;

// The template for JavaScript needs `@asyncapi/keeper`, which npm's registry does not have.
const template = "core-template-client-websocket-python";

async function generate(description: string, folder: string): Promise<void> {
  const modules = await installFromNpm({
    name: "asyncapi-generator-3.4.1",
    // It asks for an npm beside it, with which it would install templates of others.
    packages: ["@asyncapi/generator@3.4.1", "npm@11.19.1"],
  });
  const Generator = createRequire(join(modules, "of-the-generator.cjs"))(
    "@asyncapi/generator",
  ) as GeneratorClass;
  const templateParams = { server: "gateway_sockets", appendClientSuffix: "true" };
  await new Generator(template, folder, { templateParams, forceWrite: true }).generateFromFile(description);
}

async function main(): Promise<void> {
  const folder = temporaryDirectory("generated-client");
  writeFileSync(join(folder, "chat.yaml"), chat);
  const gateway = await buildAndStart([join(folder, "chat.yaml")]);
  const { stdout, stderr } = await sluice(
    ["asyncapi", "chat.yaml", "--view", "client", "--server", gateway.url],
    { cwd: folder },
  );
  assert.is(stderr, "");
  writeFileSync(join(folder, "client.yaml"), stdout);
  await generate(join(folder, "client.yaml"), join(folder, "out"));
  cpSync(join(projectRoot, "test/asyncapi/generated/talk.py"), join(folder, "out/talk.py"));
  const modules = await installFromPypi({
    name: "asyncapi-python-client-1",
    packages: ["websocket-client==1.8.0", "certifi==2025.1.31"],
  });
  // The client knows the server; the address of the channel is its caller's.
  const address = `${gateway.url.replace("http:", "ws:")}/chat/talk`;
  const talked = await run("python3", ["talk.py", address], {
    cwd: join(folder, "out"),
    env: { PYTHONPATH: modules, PYTHONDONTWRITEBYTECODE: "1" },
  });
  assert.is(talked.status, 0, talked.stdout + talked.stderr);
  const lines = talked.stdout.split("\n").filter((line) => line.startsWith("{"));
  assert.equal(lines, ['{"text":"HELLO"}', '{"text":"AGAIN"}']);
  assert.is(await gateway.program.stop(), 0);
  console.log("the generated client sent two messages and read both answers");
}

await main();
