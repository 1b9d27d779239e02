import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../harness/directories.ts";

/** The parsed documentation page of a code. */
export interface Page {
  readonly code: string;
  readonly slug: string;
  /** The text between the title and the first sample. */
  readonly text: string;
  readonly fails: Sample;
  readonly fixed: Sample;
}

/** The files of a sample by name; the first is the one to check. */
export type Sample = ReadonlyMap<string, string>;

const docs = join(projectRoot, "compiler/diagnostics/docs");

/** Reads `GWnnnn.md`; throws if it does not have the format of a page. */
export function readPage(code: string): Page {
  const page = readFileSync(join(docs, `${code}.md`), "utf8");
  const form = /^# (GW\d{4}): ([a-z0-9-]+)\n([\s\S]*?)\n## Fails\n([\s\S]*?)\n## Fixed\n([\s\S]*)$/.exec(
    page,
  );
  if (form === null) throw new Error(`${code}.md is not title, text, "## Fails" and "## Fixed"`);
  const [, title = "", slug = "", text = "", fails = "", fixed = ""] = form;
  if (text.trim() === "") throw new Error(`${code}.md does not say what the code means`);
  return {
    code: title,
    slug,
    text: text.trim(),
    fails: readSample(code, fails),
    fixed: readSample(code, fixed),
  };
}

function readSample(code: string, section: string): Sample {
  const fence = /^(`{3,})(\w+) (\S+)\n([\s\S]*?)^\1$/gm;
  const files = new Map<string, string>();
  for (const [, , , name = "", text = ""] of section.matchAll(fence)) files.set(name, text);
  if (files.size === 0) throw new Error(`${code}.md has a section without a sample`);
  return files;
}
