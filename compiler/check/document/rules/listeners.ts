// Rules about the settings of a gateway: whether its streams run, two listeners on one port, the settings of the listener
// for clients, and the exporters of metrics and traces.

import { parseDuration } from "../../../../schemas/duration.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { nearest } from "../../../diagnostics/suggest.ts";
import type { SetModel } from "../../../model/set.ts";
import type { SettingsModel } from "../../../model/settings.ts";
import { booleanOf } from "../../../model/written.ts";
import { spanOf } from "../../../source/source.ts";
import {
  type DocumentNode,
  findNode,
  findText,
  type MapEntry,
  type MapNode,
} from "../../../trees/document.ts";

/** Reports a set with streams whose settings do not say whether the streams run. */
export function checkStreamingSwitch({ settings, process, served }: SetModel, report: Report): void {
  if (settings?.kind !== "map" || served.every(({ streams }) => streams.length === 0)) return;
  const { streaming: written, files } = process;
  const block = written?.value ?? settings;
  // A misspelt key, or a value that is not a block, is already reported.
  if (block.kind !== "map") return;
  const meant = written === undefined ? "streaming" : "enabled";
  const isSaid = ({ key }: MapEntry) => key === meant || nearest(key, [meant]).closest !== undefined;
  if (block.entries.some(isSaid)) return;
  const span = (written ?? files)?.keySpan;
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
  const clients = tls?.clientCertificates;
  if (clients !== undefined && findText(clients) === "required" && tls?.hasClientCa === false)
    report("GW4250", clients.span, {});
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

/** Reports a collector address that cannot be right, and an exporter that sends nothing. */
export function checkExporters({ collector, exporters }: SettingsModel, report: Report): void {
  const { node: block, isOff } = exporters.opentelemetry ?? {};
  if (block?.kind !== "map" || isOff) return;
  if (isFalse(block, "metrics") && isFalse(block, "traces")) report("GW4242", block.span, {});
  checkAddress(collector?.node, report);
}

/** Checks the address of the collector. Addresses from the environment are known only when the gateway starts. */
function checkAddress(node: DocumentNode | undefined, report: Report): void {
  const text = findText(node);
  if (node === undefined || text === undefined || text.includes("${")) return;
  const { source, start } = node.span;
  const at = source.text.indexOf(text, start);
  // An address with escapes or over several lines has a different text in the source.
  if (at === -1 || at > start + 1) return;
  const path = /\/v1\/(?:metrics|traces|logs)\/?$/.exec(text);
  if (path !== null) {
    report("GW4240", spanOf(source, at + path.index, at + text.length), { path: path[0] });
    return;
  }
  const port = /^https?:\/\/[^/?#]*:(?=4317(?:[/?#]|$))/.exec(text);
  if (port !== null) report("GW4241", spanOf(source, at + port[0].length, at + port[0].length + 4), {});
}

function isFalse(block: MapNode, field: string): boolean {
  return booleanOf(findNode(block, field)) === false;
}
