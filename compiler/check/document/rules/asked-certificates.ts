// Certificates of clients that APIs look at, and whether the listener of their set asks for any.

import type { Report } from "../../../diagnostics/sink.ts";
import { isSwitchedOff } from "../../../model/protection-blocks.ts";
import { asksWhoCalls, securityOf, securitySchemes } from "../../../model/security.ts";
import type { Span } from "../../../source/source.ts";
import type { ApiDocument } from "../../../trees/api.ts";
import { type DocumentNode, findEntry, findNode, findText } from "../../../trees/document.ts";
import type { SetFacts } from "../set-facts.ts";

/** Reports APIs whose every caller would be refused, since connections come without certificates. */
export function checkAskedCertificates(
  { set, served }: Pick<SetFacts, "set" | "served">,
  report: Report,
): void {
  // A single document is served by whoever has the listener.
  if (set.settings === undefined || isAskedFor(findNode(set.settings, "listen", "tls"))) return;
  for (const api of served) {
    const span = ofBlock(api) ?? ofScheme(api);
    if (span !== undefined) report("GW4218", span, { api: api.id });
  }
}

/** What a variable says is seen when the gateway starts. */
function isAskedFor(tls: DocumentNode | undefined): boolean {
  const mode = findText(tls, "client_certificates");
  return mode !== undefined && mode !== "none";
}

function ofBlock({ gateway }: ApiDocument): Span | undefined {
  const block = findEntry(findNode(gateway, "server"), "clientCertificates");
  return isSwitchedOff(block?.value) ? undefined : block?.keySpan;
}

/** Where every way in needs one. */
function ofScheme(api: ApiDocument): Span | undefined {
  if (!asksWhoCalls(api)) return undefined;
  const kinds = new Map(securitySchemes(api).map(({ name, kind }) => [name, kind]));
  const { general } = securityOf(api);
  const needed = general.map(({ schemes }) => schemes.find(({ name }) => kinds.get(name) === "mutual-tls"));
  return needed.every((scheme) => scheme !== undefined) ? needed[0]?.nameSpan : undefined;
}
