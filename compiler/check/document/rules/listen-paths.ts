// Two APIs at one listen path.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiDocument } from "../../../parse/document/api.ts";
import { listenPathOf, listenPathSpan } from "../../../parse/document/listen-path.ts";
import { isListenPathClash } from "../listen-path-clash.ts";
import type { SetFacts } from "../set-facts.ts";

/** Reports each API whose listen path an earlier one has. */
export function checkListenPaths({ served }: Pick<SetFacts, "served">, report: Report): void {
  const earlier = new Map<string, ApiDocument>();
  for (const api of served) {
    const path = listenPathOf(api);
    const other = earlier.get(path);
    if (other === undefined) earlier.set(path, api);
    else if (isListenPathClash(other, api)) {
      const span = listenPathSpan(other) ?? other.idSpan;
      const related = { span, message: `\`${other.id}\` listens here.` };
      report("GW4038", listenPathSpan(api) ?? api.idSpan, { path, api: api.id, other: other.id }, related);
    }
  }
}
