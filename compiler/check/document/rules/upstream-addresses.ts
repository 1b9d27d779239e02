// Addresses of upstreams, behind which the paths of requests are put.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import { textWithHoles } from "../written-text.ts";

/** Reports an address that no path can follow; the gateway does not start with one. */
export function checkUpstreamAddress({ upstream }: ApiModel, report: Report): void {
  const { url } = upstream;
  // What only the environment knows is looked at when the gateway starts.
  const address = url && URL.parse(textWithHoles(url)?.join("0") ?? "");
  if (url === undefined || address === null || address === undefined) return;
  if (address.search !== "") report("GW4384", url.span, { part: "query" });
  if (address.hash !== "") report("GW4384", url.span, { part: "fragment" });
  if (address.username !== "") report("GW4384", url.span, { part: "user name" });
}
