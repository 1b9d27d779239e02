// Rules about hosts in addresses that messages and upstreams determine.

import { httpUrl } from "../../../../schemas/formats/addresses.ts";
import type { Schema } from "../../../../schemas/schema.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import { optionsNamed } from "../../../model/options.ts";
import type { ComponentNode, FieldNode, TemplateField } from "../../../trees/api.ts";
import { shownText, textWithHoles } from "../written-text.ts";
import { certainFault, reportFault } from "./formats.ts";

/** Reports data of messages or requests before the path of an address, unless `allowed_hosts` is set. */
export function checkComputedHosts({ config, descriptor }: ComponentNode, report: Report): void {
  const schema = descriptor?.schema;
  if (schema !== undefined) checkFields(schema, config, report);
}

const hostOptions = optionsNamed(["allowed_hosts"]);

function checkFields(schema: Schema, value: FieldNode, report: Report): void {
  if (value.kind !== "Object") return;
  const hosts = hostOptions({ value, schema })?.allowed_hosts;
  for (const field of value.fields) {
    const own = schema.properties?.[field.name];
    if (own === undefined) continue;
    if (own["x-encoded"] === "url" && hosts?.value === undefined)
      checkAddress(field.name, field.value, hosts !== undefined, report);
    else checkFields(own, field.value, report);
  }
}

function checkAddress(field: string, value: FieldNode, mayHaveHosts: boolean, report: Report): void {
  if ((value.kind !== "Template" && value.kind !== "Environment") || value.encoded === undefined) return;
  const { origins } = value.encoded;
  let before = "";
  let readsEnvironment = false;
  for (const [index, part] of value.parts.entries()) {
    const origin = origins[index] ?? "value";
    if (part.kind === "Text") before += part.text;
    else if (origin === "fixed") {
      // A variable of the operator may contain any part of the address.
      readsEnvironment = true;
      before += standIn(part.kind === "Variable" ? part.fallback : undefined, before, value);
    } else if (mayStillBeHost(before) && !(origin === "requestPath" && /:\/\/[^/]/.test(before))) {
      const span = part.kind === "QueryPart" ? part.query.span : value.span;
      report(readsEnvironment ? "GW4371" : "GW4370", span, { field, mayHaveHosts });
      return;
    } else before += "x";
  }
}

type Part = TemplateField["parts"][number];

/** Returns a stand-in for a value that is known only at start: a server, or a part of its name. */
function standIn(
  fallback: string | undefined,
  before: string,
  { parts }: { readonly parts: readonly Part[] },
): string {
  if (fallback !== undefined && fallback !== "") return fallback;
  if (before !== "") return "x";
  const next = parts[1];
  return next?.kind === "Text" && next.text.startsWith("://") ? "http" : "http://x";
}

/**
 * Whether an address with this beginning has not reached its path yet. Text that begins no address is reported
 * elsewhere.
 */
function mayStillBeHost(before: string): boolean {
  return /^(?:[a-z][a-z\d+.-]*(?::(?:\/(?:\/[^/?#\\]*)?)?)?)?$/i.test(before);
}

/** Reports an upstream address that no path can follow; the gateway does not start with it. */
export function checkUpstreamAddress({ upstream }: ApiModel, report: Report): void {
  const { url } = upstream;
  const text = url && textWithHoles(url);
  // A missing scheme is reported with the schema of the field.
  const fault =
    /^https?:\/\//i.test(text?.[0] ?? "") && text !== undefined ? certainFault(httpUrl, text) : undefined;
  if (url !== undefined && fault !== undefined) {
    reportFault(httpUrl, fault, shownText(url), url.span, report);
    return;
  }
  // An address from the environment is checked when the gateway starts.
  const address = url && URL.parse(textWithHoles(url)?.join("0") ?? "");
  if (url === undefined || address === null || address === undefined) return;
  const reason = "the request path is appended to it";
  if (address.search !== "") report("GW4384", url.span, { part: "query", reason });
  if (address.hash !== "") report("GW4384", url.span, { part: "fragment", reason });
  if (address.username + address.password !== "")
    report("GW4384", url.span, {
      part: "user name or password",
      reason: "the gateway adds no credentials to requests",
    });
}
