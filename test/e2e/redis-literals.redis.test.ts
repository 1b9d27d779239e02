// The processor `redis` uses values of messages and requests as data of commands, never as patterns, commands or programs.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { redis } from "../harness/brokers.ts";
import { temporaryDirectory } from "../harness/directories.ts";
import { unique } from "../harness/names.ts";
import { buildAndStart } from "./gateway.ts";

const mark = unique("literals").replaceAll(/[^a-z0-9]/gi, "");
const server = await redis();
const peer = new Redis(server.address);
await peer.mset(`${mark}:ann:1`, "a", `${mark}:ann:2`, "b", `${mark}:bob:1`, "c");
await peer.hset(`${mark}:h`, "one", "1", "two", "2");

/** One stream for each place that a value can fill. */
const steps: Readonly<Record<string, string>> = {
  operator: `operator: keys, key: '${mark}:\${! json("value") }:*'`,
  operator_request: `operator: keys, key: '${mark}:$gw_context.headers_X_Value:*'`,
  operator_mixed: `operator: keys, key: '${mark}:$gw_context.headers_X_Value:\${! json("value") }*'`,
  operator_allowed: `operator: keys, key: '${mark}:\${! json("value") }', allow_wildcards: true`,
  count: `operator: scard, key: '${mark}:\${! json("value") }'`,
  keys: `command: keys, args_mapping: 'root = [ "${mark}:" + this.value ]'`,
  keys_written: `command: keys, args_mapping: 'root = if this.value == "all" { ["${mark}:*"] } else { [ this.value ] }'`,
  keys_allowed: `command: keys, args_mapping: 'root = [ "${mark}:" + this.value ]', allow_wildcards: true`,
  scan: `command: SCAN, args_mapping: 'root = [ "0", "MATCH", "${mark}:" + this.value, "COUNT", 1000 ]'`,
  hscan: `command: hscan, args_mapping: 'root = [ "${mark}:h", 0, "match", this.value ]'`,
  command: `command: '\${! json("value") }', allowed_commands: [get, "config get"], args_mapping: 'root = this.args'`,
  command_request: `command: $gw_context.headers_X_Value, allowed_commands: [GET], args_mapping: 'root = this.args'`,
  subcommand: `command: config, args_mapping: 'root = this.args'`,
  subcommand_written: `command: config, args_mapping: 'root = [ "GET", this.value ]'`,
  script: `command: script, args_mapping: 'root = [ "LOAD", this.value ]'`,
  program_written: `command: eval, args_mapping: 'root = [ "return ARGV[1]", 0, this.value ]'`,
  query: `command: ft.search, args_mapping: 'root = [ "people", this.value ]'`,
  program: `command: eval, args_mapping: 'root = this.args'`,
};
const streams = Object.entries(steps).map(
  ([name, step]) => `    ${name}:
      input: { http_server: { path: /${name} } }
      pipeline:
        processors:
          - redis: { url: "\${REDIS}", retries: 0, ${step} }
      output: { sync_response: {} }
`,
);
const file = join(temporaryDirectory("redis-literals"), "literals.yaml");
writeFileSync(
  file,
  `openapi: 3.1.0
info: { title: Literals, version: 1.0.0 }
paths: {}
x-gw-streaming:
  streams:
${streams.join("")}`,
);
const gateway = await buildAndStart([file], { REDIS: server.address });
test.after(async () => {
  await gateway.program.stop();
  await peer.quit();
  await server.stop();
});

/** Resolves with the status, and the keys or the error of the response. */
async function ask(stream: string, body: object, header = "x"): Promise<string> {
  const response = await fetch(`${gateway.url}/${stream}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "x-value": header, "content-type": "application/json" },
  });
  const answer = (await response.json()) as string[] | { readonly error?: string };
  const texts: unknown[] = Array.isArray(answer)
    ? answer.flat().sort()
    : [answer.error ?? JSON.stringify(answer)];
  return [response.status, ...texts].join(" ").replaceAll(`${mark}:`, "");
}

const patterns = ["*", "???", "[a-z]nn", "a\\nn", "[^x]nn", "*ann"];

test("message values in Redis patterns are literal, in every field and argument", async () => {
  assert.is(await ask("operator", { value: "ann" }), "200 ann:1 ann:2");
  assert.is(await ask("count", { value: "a*[b]" }), "200 0");
  assert.is(await ask("keys", { value: "ann:1" }), "200 ann:1");
  assert.is(await ask("keys_written", { value: "all" }), "200 ann:1 ann:2 bob:1 h");
  assert.is(await ask("scan", { value: "ann:1" }), "200 0 ann:1");
  assert.is(await ask("hscan", { value: "one" }), "200 0 1 one");
  for (const value of patterns) {
    const inPattern = "422 A value in a pattern is not the name of a Redis key without wildcards";
    assert.is(await ask("operator", { value }), inPattern, value);
    assert.is(await ask("operator_mixed", { value }, "ann"), inPattern, value);
    for (const stream of ["keys", "keys_written", "scan", "hscan"]) {
      const refused = `422 A value for a pattern of \`${stream.slice(0, stream.includes("scan") ? 9 : 4)}\` contains wildcards`;
      assert.is(await ask(stream, { value }), refused, value);
    }
  }
});

test("request values in Redis patterns are literal too", async () => {
  assert.is(await ask("operator_request", {}, "ann"), "200 ann:1 ann:2");
  assert.is(await ask("operator_mixed", { value: "1" }, "ann"), "200 ann:1");
  for (const value of patterns) {
    const refused = "400 The header X-Value is not the name of a Redis key without wildcards";
    assert.is(await ask("operator_request", {}, value), refused, value);
    assert.is(await ask("operator_mixed", { value: "1" }, value), refused, value);
  }
});

test("allow_wildcards lets clients choose patterns", async () => {
  assert.is(await ask("operator_allowed", { value: "*" }), "200 ann:1 ann:2 bob:1 h");
  assert.is(await ask("keys_allowed", { value: "a*" }), "200 ann:1 ann:2");
});

test("a computed command must be one of `allowed_commands`, in any spelling", async () => {
  const key = `${mark}:ann:1`;
  for (const command of ["get", "GET", "Get"]) {
    assert.is(await ask("command", { value: command, args: [key] }), '200 "a"');
    assert.is(await ask("command_request", { args: [key] }, command), '200 "a"');
  }
  for (const command of ["flushall", "FLUSHALL", "set", "eval", "script", "config"]) {
    const refused = "422 The computed `command` is not one of `allowed_commands`";
    assert.is(await ask("command", { value: command, args: ["set", "maxmemory", "1"] }), refused, command);
    assert.is(await ask("command_request", { args: [] }, command), refused, command);
  }
  assert.is(await ask("command", { value: "CONFIG", args: ["Get", "maxmemory"] }), '200 {"maxmemory":"0"}');
  assert.is(await peer.get(key), "a");
});

test("a subcommand must be written in the document, or listed", async () => {
  const refused = "422 The computed subcommand of `config` is not one of `allowed_commands`";
  for (const sub of ["set", "SET", "resetstat", "get"])
    assert.is(await ask("subcommand", { args: [sub, "maxmemory", "1"] }), refused);
  assert.is(await ask("subcommand_written", { value: "maxmemory" }), '200 {"maxmemory":"0"}');
  assert.match(await ask("subcommand_written", { value: "*" }), "contains wildcards");
});

test("programs and queries must be written in the document", async () => {
  const program = "return redis.call('FLUSHALL')";
  assert.is(
    await ask("program", { args: [program, 0] }),
    "422 The program of `eval` is not written in the document",
  );
  assert.is(
    await ask("script", { value: program }),
    "422 The program of `script` is not written in the document",
  );
  assert.is(await ask("program_written", { value: "x" }), '200 "x"');
  assert.is(
    await ask("query", { value: "@user:{*}" }),
    "422 The query of `ft.search` is not written in the document",
  );
});

test.run();
