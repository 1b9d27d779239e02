// Rules about the listeners of a gateway: whether its streams run, two listeners on one port, and the settings of the
// listener for clients.

import { parseDuration } from "../../../../schemas/duration.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { nearest } from "../../../diagnostics/suggest.ts";
import type { SetModel } from "../../../model/set.ts";
import type { SettingsModel } from "../../../model/settings.ts";
import { type DocumentNode, findEntry, findNode, findText } from "../../../trees/document.ts";

/** Reports a set with streams whose settings do not say whether the streams run. */
export function checkStreamingSwitch({ settings, served }: SetModel, report: Report): void {
  if (settings?.kind !== "map" || served.every(({ streams }) => streams.length === 0)) return;
  if (findNode(settings, "streaming", "enabled") !== undefined) return;
  const written = findEntry(settings, "streaming");
  const block = written?.value ?? settings;
  // A misspelt key, or a value that is not a block, is already reported.
  if (block.kind !== "map") return;
  const meant = written === undefined ? "streaming" : "enabled";
  if (block.entries.some(({ key }) => nearest(key, [meant]).closest !== undefined)) return;
  const span = (written ?? findEntry(settings, "apis"))?.keySpan;
  if (span !== undefined) report("GW4076", span, {});
}

/** The default addresses. */
const defaults = { listen: "0.0.0.0:8080", admin: "127.0.0.1:8081" };

const everywhere: ReadonlySet<string> = new Set(["", "0.0.0.0", "[::]"]);

/** Reports listeners that cannot both open, at the admin listener or the portal listener if its address is written. */
export function checkListeners({ listen, adminListen, portal }: SettingsModel, report: Report): void {
  const written = { text: findText(listen?.node) ?? defaults.listen, node: listen?.node };
  const operators = { text: findText(adminListen?.node) ?? defaults.admin, node: adminListen?.node };
  checkPair(operators, written, report);
  if (!portal.isEnabled || portal.listen === undefined) return;
  const own = { text: findText(portal.listen.node) ?? "", node: portal.listen.node };
  for (const other of [written, operators]) checkPair(own, other, report);
}

/** A listener, and the node of its address if it is written. */
interface WrittenListener {
  readonly text: string;
  readonly node: DocumentNode | undefined;
}

/** Reports two listeners on one port, at the first if its address is written. */
function checkPair(first: WrittenListener, second: WrittenListener, report: Report): void {
  if (!doMeet(parseAddress(first.text), parseAddress(second.text))) return;
  const [at, other] = first.node === undefined ? [second, first] : [first, second];
  if (at.node !== undefined) report("GW4072", at.node.span, { address: at.text, other: other.text });
}

/** Reports client certificates without an issuer, and limits that would refuse every caller. */
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

/** `undefined` if the text is not known yet, or is not an address, which is already reported. */
function parseAddress(text: string): Address | undefined {
  const [, host = "", port] = /^(.*):(\d+)$/.exec(text) ?? [];
  if (port === undefined || text.includes("${")) return undefined;
  return { host: host === "localhost" ? "127.0.0.1" : host, port: Number(port) };
}

/** Whether two addresses conflict. Port 0 stands for a different free port each time. */
function doMeet(first: Address | undefined, second: Address | undefined): boolean {
  if (first === undefined || second === undefined || first.port !== second.port || first.port === 0)
    return false;
  return first.host === second.host || everywhere.has(first.host) || everywhere.has(second.host);
}
