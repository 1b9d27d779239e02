// Standard input is there once.

import { findComponent } from "../../../../schemas/catalogue.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { componentsOf } from "../components.ts";
import type { SetFacts } from "../set-facts.ts";

/** Reports every further reader: which of them gets a line would be left to chance. */
export function checkStandardInput({ served }: Pick<SetFacts, "served">, report: Report): void {
  const components = served.flatMap(({ streams }) => streams.flatMap(componentsOf));
  const [first, ...others] = components.filter(
    ({ role, name }) => findComponent(role, name)?.isSingle === true,
  );
  if (first === undefined) return;
  for (const { nameSpan } of others) {
    report("GW4193", nameSpan, {}, { span: first.nameSpan, message: "It is already read here." });
  }
}
