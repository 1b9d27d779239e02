import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryDirectory } from "../harness/directories.ts";

/** Creates a new folder that contains these files. */
export function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = temporaryDirectory("cli");
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** Returns a document that needs no broker: it serves the messages posted to `path` at `/out`. */
export function relay(path = "/in"): string {
  return `openapi: 3.1.1
info: { title: Relay, version: "1" }
paths: {}
x-gw-streaming:
  streams:
    relay:
      input:
        http_server: { path: ${path} }
      output:
        http_server: { path: /out }
`;
}

/** A document with one mistake: `pth` in line 8, column 35, 3 characters long. */
export const misspelt = relay().replace("path: /in", "path: /in, pth: /in");

/** A document that reads variables that are not set. */
export const needy = relay().replace(
  "{ path: /out }",
  "{ path: /out, timeout: '${RELAY_TIMEOUT}', heartbeat: '${RELAY_HEARTBEAT}' }",
);
