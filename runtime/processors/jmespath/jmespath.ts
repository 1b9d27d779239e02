// `jmespath`: documents replaced by what an expression selects of them.

import type { Processor } from "../../component/component.ts";
import { MappingError } from "../../errors.ts";
import { asDocument, converting, documentOf } from "../formats/converting.ts";
import type { JmespathOptions } from "../generated/jmespath-options.ts";
import { type Inspected, inspectText, type WrittenOptions } from "../inspection.ts";
import { fromDocument, toDocument } from "../jq/values.ts";
import { compileJmespath } from "./parser.ts";

/** Replaces the document of each message by what the expression makes of it. */
export function jmespath({ query }: JmespathOptions): Processor {
  // Known to be an expression since the gateway was built.
  const search = compileJmespath(query);
  return converting("jmespath", (message) => {
    const document = documentOf(message, "");
    try {
      return asDocument(message, toDocument(search(fromDocument(document))));
    } catch (error) {
      // The engine's stack, which the nesting of a document can reach.
      if (error instanceof RangeError) throw new MappingError("jmespath: the document is nested too deeply");
      throw error;
    }
  });
}

/** Why the expression of a `jmespath` processor is not one. */
export function inspectJmespath(options: WrittenOptions): Inspected {
  return inspectText(options, "query", (text) => {
    compileJmespath(text);
    return undefined;
  });
}
