// Runs mappings on lines of text for `sluice blobl`: takes the bytes of a line and returns those of a result.

import type { Message } from "../../runtime/message/message.ts";
import type { Value } from "../../runtime/message/value.ts";
import { loadRuntime } from "../evaluate/runtime-modules.ts";
import { compileMapping as compileRun } from "./mapping.ts";
import { toMessage } from "./messages.ts";
import { type MappingOptions, translateFailure } from "./scripts.ts";

/** The format of lines and results. */
export interface LineOptions extends MappingOptions {
  /** Whether `this` is the text of the line instead of its JSON document. */
  readonly raw?: boolean;
  /** Whether documents are printed on several lines, indented by two spaces per level. */
  readonly pretty?: boolean;
}

/** A compiled mapping that runs on any number of lines. */
export interface LineMapping {
  /** Returns the result without a line break; `undefined` if the mapping deletes it. Throws a `MappingError`. */
  run(line: Uint8Array): Uint8Array | undefined;
}

/** Compiles a mapping for lines. Throws a `CompileError`. */
export function compileLineMapping(source: string, options: LineOptions = {}): LineMapping {
  const compiled = compileRun(source, options);
  const { MappingRun } = loadRuntime("runtime/mapping/run.ts");
  return {
    run(line) {
      return translateFailure(() => {
        const context = options.raw === true ? { value: Buffer.from(line).toString("utf8") } : undefined;
        const run = new MappingRun([toMessage({ content: line })], 0, undefined, context);
        const root = compiled(run);
        const message = run.finish(root);
        if (message === undefined) return undefined;
        return options.pretty === true && !isText(root) ? layOut(message) : message.bytes();
      });
    },
  };
}

/** Whether the root is text or bytes, which are returned unchanged even if they contain JSON. */
function isText(root: Value): boolean {
  return typeof root === "string" || root instanceof Uint8Array;
}

function layOut(message: Message): Uint8Array {
  const bytes = message.bytes();
  const parsed = loadRuntime("runtime/message/json.ts").parseJson(bytes);
  if (!("value" in parsed)) return bytes;
  return Buffer.from(loadRuntime("runtime/message/json-print.ts").printJsonIndented(parsed.value, "  "));
}
