import { join } from "node:path";
import type { Processor } from "../../../../runtime/component/component.ts";
import { inspectTemplate } from "../../../../runtime/processors/template/inspect.ts";
import { template } from "../../../../runtime/processors/template/template.ts";
import type { TemplateFunction } from "../../../../runtime/processors/template/values.ts";
import { projectRoot } from "../../../harness/directories.ts";

type Options = Omit<Parameters<typeof template>[0], "library">;

/** A `template` processor with the functions of Sprig that its templates call, by the names of these functions. */
export interface LinkedTemplate {
  readonly processor: Processor;
  readonly called: readonly string[];
}

/** Creates a processor as an emitted gateway does; returns the problems that a build reports if there are any. */
export async function linkTemplate(options: Options): Promise<LinkedTemplate | readonly string[]> {
  const { problems, links = {} } = inspectTemplate(options);
  if (problems.length > 0) return problems.map(({ message }) => message);
  const library: Record<string, TemplateFunction> = {};
  for (const [name, { module, symbol, takes }] of Object.entries(links))
    library[name] = { takes, call: (await import(join(projectRoot, module)))[symbol] };
  return { processor: template({ ...options, library }), called: Object.keys(library) };
}
