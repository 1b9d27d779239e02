// Checks the configurations in documentation pages: each fragment of a stream is completed with a plain input and output.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isMap, isScalar, parseDocument } from "yaml";
import { check, createMemoryFileSystem } from "../../compiler/index.ts";
import type { Finding } from "./findings.ts";

/** A configuration of the documentation. */
export interface DocumentedConfiguration {
  /** Page and line. */
  readonly name: string;
  readonly text: string;
}

/** The sections of a stream's configuration. A fence with any other key at its top is part of something else. */
const sections = new Set(
  `http input buffer pipeline output logger metrics tracer shutdown_timeout shutdown_delay input_resources
  processor_resources output_resources cache_resources rate_limit_resources tests`.split(/\s+/),
);

const plain = {
  input: "input:\n  generate:\n    mapping: root = {}\n",
  output: "output:\n  drop: {}\n",
};

/** Returns the configurations of every page below a folder, each text once. */
export function readConfigurations(root: string): readonly DocumentedConfiguration[] {
  const pages = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((page) =>
    /\.mdx?$/.test(page),
  );
  const found = new Map<string, DocumentedConfiguration>();
  for (const page of pages.sort()) {
    const markdown = readFileSync(join(root, page), "utf8");
    for (const fence of markdown.matchAll(/^([ \t]*)```(?:ya?ml|json)\b[^\n]*\n(.*?)^[ \t]*```/gms)) {
      const [, indentation = "", content = ""] = fence;
      const text = completed(content.replaceAll(new RegExp(`^${indentation}`, "gm"), ""));
      if (text === undefined || found.has(text)) continue;
      const line = markdown.slice(0, fence.index).split("\n").length;
      found.set(text, { name: `${page}:${line}`, text });
    }
  }
  return [...found.values()];
}

function completed(fragment: string): string | undefined {
  const { contents, errors } = parseDocument(fragment);
  if (errors.length > 0 || !isMap(contents)) return undefined;
  if (contents.has("openapi") && contents.has("x-tyk-streaming")) return fragment;
  const keys = contents.items.map(({ key }) => (isScalar(key) ? String(key.value) : ""));
  if (keys.length === 0 || !keys.every((key) => sections.has(key))) return undefined;
  const missing = (["input", "output"] as const).filter((key) => !keys.includes(key));
  if (fragment.trimStart().startsWith("{")) return missing.length === 0 ? fragment : undefined;
  return [fragment.trimEnd(), "\n", ...missing.map((key) => plain[key])].join("");
}

/** Checks each configuration as a document of its own. */
export async function checkConfigurations(
  configurations: readonly DocumentedConfiguration[],
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { name, text } of configurations) {
    const file = "stream.yaml";
    const { diagnostics } = await check([file], { fileSystem: createMemoryFileSystem({ [file]: text }) });
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    findings.push({ name, problems: errors.map(({ code, message }) => ({ code, text: message })) });
  }
  return findings;
}
