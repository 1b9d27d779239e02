// Mappings over lines of text, as `sluice blobl` runs them: the bytes of a line in, those of a result out.

import type { Message } from "../../runtime/message/message.ts";
import type { Value } from "../../runtime/message/value.ts";
import { loadRuntime } from "../evaluate/runtime-modules.ts";
import { compileMapping as compileRun } from "./mapping.ts";
import { toMessage } from "./messages.ts";
import { type MappingOptions, translateFailure } from "./scripts.ts";

/** How lines are taken and given. */
export interface LineOptions extends MappingOptions {
  /** `this` is the text of the line, whatever it holds; otherwise its document. */
  readonly raw?: boolean;
  /** Documents are laid out over several lines, each level by two blanks. */
  readonly pretty?: boolean;
}

/** A mapping, ready to run on any number of lines. */
export interface LineMapping {
  /** The result without a line break; `undefined` when it was deleted. Throws `MappingError`. */
  run(line: Uint8Array): Uint8Array | undefined;
}

/** Compiles a mapping for lines. Throws `CompileError`. */
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

/** Texts and bytes are given as they are, even where they hold JSON. */
function isText(root: Value): boolean {
  return typeof root === "string" || root instanceof Uint8Array;
}

function layOut(message: Message): Uint8Array {
  const bytes = message.bytes();
  const parsed = loadRuntime("runtime/message/json.ts").parseJson(bytes);
  if (!("value" in parsed)) return bytes;
  return Buffer.from(loadRuntime("runtime/message/json-print.ts").printJsonIndented(parsed.value, "  "));
}
