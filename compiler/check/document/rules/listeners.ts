// The listeners of a gateway: two of them at one port, and what the one for clients is asked for.

import { parseDuration } from "../../../../schemas/duration.ts";
import type { Report } from "../../../diagnostics/sink.ts";
import { hasPortal } from "../../../model/store.ts";
import { type DocumentNode, findNode, findText, type MapNode } from "../../../trees/document.ts";

/** Where they are when nobody says. */
const defaults = { listen: "0.0.0.0:8080", admin: "127.0.0.1:8081" };

const everywhere: ReadonlySet<string> = new Set(["", "0.0.0.0", "[::]"]);

/** Reports listeners that cannot both open; at the one for operators, or that of the portal, if it was written. */
export function checkListeners(settings: MapNode, report: Report): void {
  const listen = findNode(settings, "listen", "address") ?? findNode(settings, "listen");
  const admin = findNode(settings, "admin", "listen");
  const portal = hasPortal(settings) ? findNode(settings, "portal", "listen") : undefined;
  const written = { text: findText(listen) ?? defaults.listen, node: listen };
  const operators = { text: findText(admin) ?? defaults.admin, node: admin };
  checkPair(operators, written, report);
  if (portal === undefined) return;
  const own = { text: findText(portal) ?? "", node: portal };
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

/** Reports certificates that nobody issues, and limits that would keep everybody out. */
export function checkListenerSettings(settings: MapNode, report: Report): void {
  const tls = findNode(settings, "listen", "tls");
  const clients = findNode(tls, "client_certificates");
  if (
    clients !== undefined &&
    findText(clients) === "required" &&
    findNode(tls, "client_ca_file") === undefined
  ) {
    report("GW4250", clients.span, {});
  }
  for (const field of ["head_timeout", "body_timeout", "idle_timeout"]) {
    const time = findNode(settings, "limits", field);
    if (time !== undefined && parseDuration(findText(time) ?? "") === 0)
      report("GW4251", time.span, { field });
  }
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/** `undefined` for what is not known yet, or is no address: that was reported. */
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
