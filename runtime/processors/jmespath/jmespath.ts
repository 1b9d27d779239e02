// `jmespath`: replaces documents by what an expression selects from them.

import type { Processor } from "../../component/component.ts";
import { MappingError } from "../../errors.ts";
import { asDocument, converting, documentOf } from "../formats/converting.ts";
import type { JmespathOptions } from "../generated/jmespath-options.ts";
import { type Inspected, inspectText, type WrittenOptions } from "../inspection.ts";
import { fromDocument, toDocument } from "../jq/values.ts";
import { compileJmespath } from "./parser.ts";

/** Replaces the document of each message by the result of the expression. */
export function jmespath({ query }: JmespathOptions): Processor {
  // The expression was validated when the gateway was built.
  const search = compileJmespath(query);
  return converting("jmespath", (message) => {
    const document = documentOf(message, "");
    try {
      return asDocument(message, toDocument(search(fromDocument(document))));
    } catch (error) {
      // The nesting of a document can exhaust the stack of the JavaScript engine.
      if (error instanceof RangeError) throw new MappingError("jmespath: the document is nested too deeply");
      throw error;
    }
  });
}

/** Returns the problems in the expression of a `jmespath` processor. */
export function inspectJmespath(options: WrittenOptions): Inspected {
  return inspectText(options, "query", (text) => {
    compileJmespath(text);
    return undefined;
  });
}
