// The verdict on each expression: proved linear by an analyser, measured, or excused with a reason.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import formats from "ajv-formats/dist/formats.js";
import { checkSync } from "recheck";
import type { Expression } from "./expressions.ts";

/** Expressions that the analyser proves linear, and those that it cannot decide, which are measured. */
export interface Verdicts {
  readonly linear: readonly string[];
  readonly undecided: readonly string[];
}

const file = join(import.meta.dirname, "verdicts.json");

export function readVerdicts(): Verdicts {
  return JSON.parse(readFileSync(file, "utf8"));
}

export function writeVerdicts({ linear, undecided }: Verdicts): void {
  const sorted = { linear: [...linear].sort(), undecided: [...undecided].sort() };
  writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);
}

/** Returns the analyser's verdict: `linear`, `undecided`, or the text that makes the expression slow. */
export function analyse({ source, flags }: Expression): "linear" | "undecided" | { readonly attack: string } {
  // Runs in this process, without a separate program or virtual machine.
  process.env.RECHECK_SYNC_BACKEND = "pure";
  const verdict = checkSync(source, flags, { timeout: 10_000 });
  if (verdict.status === "vulnerable")
    return { attack: `${verdict.complexity.summary}: ${verdict.attack.pattern}` };
  return verdict.status === "safe" ? "linear" : "undecided";
}

/**
 * An exception from linearity for one or all expressions of the modules whose names start with `module`, with the
 * reason.
 */
interface Excuse {
  readonly module: string;
  readonly expression?: string;
  readonly reason: string;
}

const excuses: readonly Excuse[] = [
  { module: "rou3/", reason: "patterns of routes, which are written in the runtime" },
  { module: "ajv/", reason: "schemas, which are compiled when a gateway is built" },
  { module: "fast-uri/", reason: "addresses of schemas, which are resolved when a gateway is built" },
  {
    module: "ajv-formats/dist/formats.js",
    expression: String(formats.fullFormats.url),
    reason: "runtime/mapping/schema-scalars.ts takes its place",
  },
  {
    module: "kafkajs/src/broker/saslAuthenticator/scram.js",
    expression: "/=+$/",
    reason: "base64 of its own proof",
  },
  {
    module: "oauth4webapi/build/index.js",
    expression: "/^\\s+(.*)$/",
    reason: "a challenge in a header of the provider: 16 KiB at most",
  },
  {
    module: "@nats-io/nats-core/lib/authenticator.js",
    reason: "a file of credentials that the operator gives",
  },
  {
    module: "@nats-io/nats-core/lib/protocol.js",
    expression: "/^INFO\\s+([^\\r\\n]+)\\r\\n/i",
    reason: "the first line of a server that documents name",
  },
  {
    module: "@nats-io/jetstream/lib/jsclient.js",
    expression: "/(\\d+(?:\\.\\d+)?)(ns|us|µs|ms|s|m|h)/g",
    reason: "schedules of messages, which the gateway does not write",
  },
  {
    module: "yaml/dist/schema/yaml-1.1/timestamp.js",
    expression: "/000000\\d*$/",
    reason: "writes dates, and YAML is only read",
  },
  {
    module: "yaml/dist/errors.js",
    expression: "/[\\n\\r]+$/",
    reason: "errors that show their line, which `prettyErrors: false` turns off",
  },
  {
    module: "yaml/dist/compose/resolve-flow-scalar.js",
    expression: "/[ \\t]+$/",
    reason: "for engines that cannot look behind",
  },
  {
    module: "yaml/dist/compose/resolve-flow-scalar.js",
    expression: "/^[ \\t]+|[ \\t]+$/g",
    reason: "for engines that cannot look behind",
  },
  {
    module: "mmdb-lib/lib/ip.js",
    expression: "/(\\d+)\\.(\\d+)\\.(\\d+)\\.(\\d+)/",
    reason: "what `isIP` of Node has taken for an address: 45 characters at most",
  },
  {
    module: "nodemailer/dist/esm/mime-funcs/index.js",
    expression: "/(\\s+)[^\\s]*$/",
    reason: "pieces of 76 characters",
  },
  {
    module: "nodemailer/dist/esm/smtp-connection/index.js",
    expression: "/^334\\s+(.+)$/",
    reason: "an answer of the mail server that the operator names",
  },
  {
    module: "ms/index.js",
    expression:
      "/^(-?(?:\\d+)?\\.?\\d+) *(milliseconds?|msecs?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w|years?|yrs?|y)?$/i",
    reason: "spans of time that `debug` prints, which are numbers",
  },
  { module: "postgres-date/", reason: "timestamps as PostgreSQL writes them" },
  { module: "postgres-interval/", reason: "intervals as PostgreSQL writes them" },
];

/** Returns the modules that contain an expression and are not excused. */
export function unexcused({ text, modules }: Expression): readonly string[] {
  return [...modules].filter((module) => !excuses.some((excuse) => excuseFits(excuse, module, text)));
}

/** Returns the excuses that no expression needs any longer. */
export function idleExcuses(expressions: readonly Expression[]): readonly Excuse[] {
  return excuses.filter(
    (excuse) =>
      !expressions.some(({ text, modules }) =>
        [...modules].some((module) => excuseFits(excuse, module, text)),
      ),
  );
}

function excuseFits(excuse: Excuse, module: string, text: string): boolean {
  return (
    module.startsWith(`node_modules/${excuse.module}`) &&
    (excuse.expression === undefined || excuse.expression === text)
  );
}

/** Modules that compute expressions at run time, each with what it computes them from. */
export const computed: Readonly<Record<string, string>> = {
  "node_modules/croner/dist/croner.js": "names of months and days that are written there",
  "node_modules/oauth4webapi/build/index.js": "tokens and quoted texts of headers, which are written there",
  "node_modules/transliteration/dist/node/src/node/index.js":
    "replacements that are options, of which none are given",
  "runtime/mapping/time-parsing.ts": "a number of digits",
  "runtime/text/memo.ts": "texts in calls of `unicodePattern`, which are expressions of the calling modules",
  "node_modules/json-p3/dist/json-p3.cjs.js": "`match` and `search` of JSONPath, which are taken out",
  "node_modules/mmdb-lib/lib/ip.js": "what `isIP` of Node has taken for an address",
  "node_modules/nodemailer/dist/esm/mime-funcs/index.js": "lengths of lines",
  "node_modules/nodemailer/dist/esm/mime-node/index.js": "characters of addresses that are written there",
  "node_modules/ajv-formats/dist/formats.js":
    "the format `regex` reads the text as an expression and runs none",
  "node_modules/ajv/dist/core.js": "schemas, which are compiled when a gateway is built",
  "node_modules/ajv/dist/vocabularies/applicator/patternProperties.js":
    "schemas, which are compiled when a gateway is built",
  "node_modules/postgres-interval/index.js": "intervals as PostgreSQL writes them",
  "node_modules/rou3/dist/index.mjs": "patterns of routes, which are written in the runtime",
  "node_modules/h3/dist/response.mjs": "characters that are written there",
};
