// Streams of one API whose names give one id.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import type { StreamNode } from "../../../trees/api.ts";

/** Reports each stream whose id an earlier one of the API has. */
export function checkStreamNames({ streams }: ApiModel, report: Report): void {
  const earlier = new Map<string, StreamNode>();
  for (const stream of streams) {
    const id = streamId(stream.name);
    const other = earlier.get(id);
    if (other === undefined) earlier.set(id, stream);
    else {
      const related = { span: other.nameSpan, message: `\`${other.name}\` is here.` };
      report("GW4039", stream.nameSpan, { first: other.name, second: stream.name, id }, related);
    }
  }
}

/** What identifies a stream in logs, metrics and addresses, where case and punctuation do not count. */
function streamId(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "_");
}
