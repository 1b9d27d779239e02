// Two APIs at one listen path of one host.

import type { Report } from "../../../diagnostics/sink.ts";
import { listenPathOf, listenPathSpan } from "../../../model/listen-path.ts";
import { hostOf } from "../../../model/places.ts";
import type { ApiDocument } from "../../../trees/api.ts";
import { mountOf } from "../listen-path-clash.ts";
import type { SetFacts } from "../set-facts.ts";

/** Reports each API whose listen path an earlier one has under the same host name. */
export function checkListenPaths({ mounted }: Pick<SetFacts, "mounted">, report: Report): void {
  const earlier = new Map<string, ApiDocument>();
  for (const api of mounted) {
    const path = listenPathOf(api);
    const place = `${hostOf(api) ?? ""} ${mountOf(api)}`;
    const other = earlier.get(place);
    if (other === undefined) earlier.set(place, api);
    else {
      const span = listenPathSpan(other) ?? other.idSpan;
      const related = { span, message: `\`${other.id}\` listens here.` };
      report("GW4038", listenPathSpan(api) ?? api.idSpan, { path, api: api.id, other: other.id }, related);
    }
  }
}
