// What a gateway serves and where: whether its streams run, two listeners at one port, and what the one for clients is
// asked for.

import { parseDuration } from "../../../../schemas/duration.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { nearest } from "../../../diagnostics/suggest.ts";
import type { SetModel } from "../../../model/set.ts";
import type { SettingsModel } from "../../../model/settings.ts";
import { type DocumentNode, findEntry, findNode, findText } from "../../../trees/document.ts";

/** Reports a set with streams whose settings do not say whether these run. */
export function checkStreamingSwitch({ settings, served }: SetModel, report: Report): void {
  if (settings?.kind !== "map" || served.every(({ streams }) => streams.length === 0)) return;
  if (findNode(settings, "streaming", "enabled") !== undefined) return;
  const written = findEntry(settings, "streaming");
  const block = written?.value ?? settings;
  // What is there under a misspelt name, or is not a block, was reported.
  if (block.kind !== "map") return;
  const meant = written === undefined ? "streaming" : "enabled";
  if (block.entries.some(({ key }) => nearest(key, [meant]).closest !== undefined)) return;
  const span = (written ?? findEntry(settings, "apis"))?.keySpan;
  if (span !== undefined) report("GW4076", span, {});
}

/** Where they are by default. */
const defaults = { listen: "0.0.0.0:8080", admin: "127.0.0.1:8081" };

const everywhere: ReadonlySet<string> = new Set(["", "0.0.0.0", "[::]"]);

/** Reports listeners that cannot both open; at the one for operators, or that of the portal, if it was written. */
export function checkListeners({ listen, adminListen, portal }: SettingsModel, report: Report): void {
  const written = { text: findText(listen?.node) ?? defaults.listen, node: listen?.node };
  const operators = { text: findText(adminListen?.node) ?? defaults.admin, node: adminListen?.node };
  checkPair(operators, written, report);
  if (!portal.isEnabled || portal.listen === undefined) return;
  const own = { text: findText(portal.listen.node) ?? "", node: portal.listen.node };
  for (const other of [written, operators]) checkPair(own, other, report);
}

/** A listener, and where it was written, if it was. */
interface WrittenListener {
  readonly text: string;
  readonly node: DocumentNode | undefined;
}

/** Reports two at one port; at the first, if that was written. */
function checkPair(first: WrittenListener, second: WrittenListener, report: Report): void {
  if (!doMeet(parseAddress(first.text), parseAddress(second.text))) return;
  const [at, other] = first.node === undefined ? [second, first] : [first, second];
  if (at.node !== undefined) report("GW4072", at.node.span, { address: at.text, other: other.text });
}

/** Reports certificates without an issuer, and limits that would refuse every caller. */
export function checkListenerSettings({ tls, limits }: SettingsModel, report: Report): void {
  const clients = findNode(tls?.node, "client_certificates");
  if (
    clients !== undefined &&
    findText(clients) === "required" &&
    findNode(tls?.node, "client_ca_file") === undefined
  ) {
    report("GW4250", clients.span, {});
  }
  for (const field of ["head_timeout", "body_timeout", "idle_timeout"]) {
    const time = limits.value(field)?.node;
    if (time !== undefined && parseDuration(findText(time) ?? "") === 0)
      report("GW4251", time.span, { field });
  }
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/** `undefined` for what is not known yet, or is not an address: that was reported. */
function parseAddress(text: string): Address | undefined {
  const [, host = "", port] = /^(.*):(\d+)$/.exec(text) ?? [];
  if (port === undefined || text.includes("${")) return undefined;
  return { host: host === "localhost" ? "127.0.0.1" : host, port: Number(port) };
}

/** Port 0 is a free one each time. */
function doMeet(first: Address | undefined, second: Address | undefined): boolean {
  if (first === undefined || second === undefined || first.port !== second.port || first.port === 0)
    return false;
  return first.host === second.host || everywhere.has(first.host) || everywhere.has(second.host);
}
