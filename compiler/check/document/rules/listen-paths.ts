// Two APIs at one listen path of one host.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import type { SetModel } from "../../../model/set.ts";

/** Reports each API whose listen path an earlier one has under the same host name. */
export function checkListenPaths({ mounted }: Pick<SetModel, "mounted">, report: Report): void {
  const earlier = new Map<string, ApiModel>();
  for (const api of mounted) {
    const path = api.listenPath;
    const place = `${api.host ?? ""} ${api.mount.shape}`;
    const other = earlier.get(place);
    if (other === undefined) earlier.set(place, api);
    else {
      const span = other.mount.span ?? other.idSpan;
      const related = { span, message: `\`${other.id}\` listens here.` };
      report("GW4038", api.mount.span ?? api.idSpan, { path, api: api.id, other: other.id }, related);
    }
  }
}
