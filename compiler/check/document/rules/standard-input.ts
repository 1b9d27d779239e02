// Standard input is there once.

import type { Report } from "../../../diagnostics/sink.ts";
import { componentsOf } from "../../../model/components.ts";
import type { SetModel } from "../../../model/set.ts";

/** Reports every further reader: which of them gets a line would be left to chance. */
export function checkStandardInput({ served }: Pick<SetModel, "served">, report: Report): void {
  const components = served.flatMap(({ streams }) => streams.flatMap(componentsOf));
  const [first, ...others] = components.filter(({ descriptor }) => descriptor?.isSingle === true);
  if (first === undefined) return;
  for (const { nameSpan } of others) {
    report("GW4193", nameSpan, {}, { span: first.nameSpan, message: "It is already read here." });
  }
}
