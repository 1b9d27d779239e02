import { join } from "node:path";
import type { Processor } from "../../../../runtime/component/component.ts";
import { awk, type LibraryFunction } from "../../../../runtime/processors/awk/awk.ts";
import { inspectAwk } from "../../../../runtime/processors/awk/inspect.ts";
import { projectRoot } from "../../../harness/directories.ts";

type Options = Omit<Parameters<typeof awk>[0], "library">;

/** An `awk` processor, and the functions of the library that its program calls. */
export interface LinkedProgram {
  readonly processor: Processor;
  readonly called: readonly string[];
}

/** Creates a processor as an emitted gateway does; returns the problems that a build reports if there are any. */
export async function linkProgram(options: Options): Promise<LinkedProgram | readonly string[]> {
  const { problems, links = {} } = inspectAwk(options);
  if (problems.length > 0) return problems.map(({ message }) => message);
  const library: Record<string, LibraryFunction> = {};
  for (const [name, { module, symbol, takes }] of Object.entries(links))
    library[name] = { takes, call: (await import(join(projectRoot, module)))[symbol] };
  return { processor: awk({ ...options, library }), called: Object.keys(library) };
}
