// Rules about server and client certificates.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import type { RequiredScheme } from "../../../model/operations.ts";
import { enabledOf, type OptionBlock } from "../../../model/options.ts";
import type { SetModel } from "../../../model/set.ts";
import type { TlsModel } from "../../../model/settings.ts";
import type { Span } from "../../../source/source.ts";
import { findText } from "../../../trees/document.ts";
import type { SchemedValue } from "../values.ts";

/** Fields that turn off certificate verification. */
const switches: ReadonlySet<string> = new Set(["skip_cert_verify", "insecureSkipVerify"]);

/** Reports fields that turn off certificate verification, in any block. */
export function checkCertificates({ name, value, owner }: SchemedValue, report: Report): void {
  if (!switches.has(name) || value.kind !== "Literal" || value.value !== true) return;
  if (owner === undefined || !isOff(owner)) report("GW4083", value.span, {});
}

/** Whether the surrounding block is off, so that no certificate is verified anyway. */
function isOff(block: OptionBlock): boolean {
  const enabled = enabledOf(block);
  if (enabled?.value === undefined) return block.schema["x-switched"] === true;
  return enabled.isSwitchedOff;
}

/** Reports APIs that would refuse every caller because connections come without client certificates. */
export function checkRequestedCertificates({ settings, process, served }: SetModel, report: Report): void {
  // For a single document, the listener is configured elsewhere.
  if (settings === undefined || requestsCertificates(process.tls)) return;
  for (const api of served) {
    const span = ofBlock(api) ?? ofScheme(api);
    if (span !== undefined) report("GW4218", span, { api: api.id });
  }
}

/** The value of a variable is known only when the gateway starts. */
function requestsCertificates(tls: TlsModel | undefined): boolean {
  const mode = findText(tls?.clientCertificates);
  return mode !== undefined && mode !== "none";
}

function ofBlock({ blocks }: ApiModel): Span | undefined {
  const block = blocks.clientCertificates;
  return block?.isOff ? undefined : block?.keySpan;
}

/** Returns the source range of the requirement if every alternative of `security` needs a certificate. */
function ofScheme(api: ApiModel): Span | undefined {
  const { isRequired, schemes: known, security } = api.authentication;
  if (!isRequired) return undefined;
  const isByCertificate = ({ name }: RequiredScheme) => known.get(name)?.kind === "mutual-tls";
  const needed = security.general.map(({ schemes }) => schemes.find(isByCertificate));
  return needed.every((scheme) => scheme !== undefined) ? needed[0]?.nameSpan : undefined;
}
