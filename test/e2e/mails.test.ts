import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { projectRoot, temporaryDirectory } from "../harness/directories.ts";
import { startMailServer } from "../harness/mail-server.ts";
import { warmSluice } from "../harness/sluice.ts";
import { until } from "../harness/wait.ts";
import { startBundle } from "./gateway.ts";

const orders = `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: {}
x-gw-api-gateway:
  info: { id: orders }
  server: { listenPath: { value: /orders/ } }
x-gw-streaming:
  streams:
    orders:
      input: { http_server: { path: /new } }
      output: { drop: {} }
`;

/** Builds a gateway with that portal; resolves with the folder of its bundle. */
async function build(portal: string): Promise<string> {
  const folder = temporaryDirectory("mails");
  const settings = `streaming: { enabled: true }\napis: [orders.yaml]\nportal: ${portal}\n`;
  writeFileSync(join(folder, "gateway.yaml"), settings);
  writeFileSync(join(folder, "orders.yaml"), orders);
  const output = join(folder, "out");
  const { status, stderr } = await warmSluice(["build", join(folder, "gateway.yaml"), "-o", output], {
    cwd: projectRoot,
  });
  assert.is(status, 0, stderr);
  return output;
}

test("a gateway has an SMTP client only if its portal is configured to send mail", async () => {
  const folder = await build("{ enabled: true, smtp: { from: portal@example.com } }");
  // An error code of nodemailer.
  const carries = (of: string) => readFileSync(join(of, "gateway.mjs"), "utf8").includes("EENVELOPE");
  assert.ok(carries(folder));
  assert.not.ok(carries(await build("{ enabled: true }")));
  const server = await startMailServer();
  const authorization = "the-token-of-administrators";
  const gateway = await startBundle(folder, {
    GW_STORE_URL: `sqlite:${join(folder, "gateway.db")}`,
    GW_PORTAL_ACCESS_TOKENS: authorization,
    GW_SMTP_URL: `smtp://127.0.0.1:${server.port}`,
  });
  const post = async (path: string, body: object) => {
    const headers = { authorization, "content-type": "application/json" };
    const url = `${gateway.url}/api/portal${path}`;
    return (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).status;
  };
  const welcome = { enabled: true, subject: "Welcome", body: "Hello.", sign_off: "Bye." };
  assert.is(await post("/configuration", { mail_options: { email_copy: { welcome_email: welcome } } }), 200);
  assert.is(await post("/developers", { email: "ann@example.com" }), 200);
  const mail = await until(() => server.mails[0]);
  assert.equal([mail.from, mail.to], ["portal@example.com", ["ann@example.com"]]);
  assert.is(await gateway.program.stop(), 0);
  await server.close();
});

test.run();
