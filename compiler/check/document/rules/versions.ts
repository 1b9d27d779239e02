// The versions of APIs against the APIs of a set: names, ids and places that lead nowhere, or to somebody else.

import type { Report } from "../../../diagnostics/sink.ts";
import { suggest } from "../../../diagnostics/suggest.ts";
import { listenPathOf, listenPathSpan } from "../../../model/listen-path.ts";
import { hostOf, isInternal } from "../../../model/places.ts";
import { findVersioning, ownVersion, type Versioning } from "../../../model/versions.ts";
import type { Span } from "../../../source/source.ts";
import type { ApiDocument, ApiSet } from "../../../trees/api.ts";
import { findNode } from "../../../trees/document.ts";
import { hasUpstream } from "../declared.ts";
import type { SetFacts } from "../set-facts.ts";

/** Reports what is wrong with the versions of APIs that are served, and internal APIs that are nobody's. */
export function checkVersions(facts: SetFacts, report: Report): void {
  for (const api of facts.served) {
    const versioning = findVersioning(api);
    if (versioning === undefined) continue;
    checkKey(versioning, report);
    checkNames(versioning, report);
    checkIds(api, versioning, facts.set, report);
    checkDefault(api, versioning, facts, report);
    checkTaken(api, versioning, facts.mounted, report);
  }
  checkInternal(facts, report);
}

function checkKey({ location, key, span }: Versioning, report: Report): void {
  if (location !== undefined && location !== "url" && key === undefined) report("GW4219", span, { location });
}

function checkNames({ versions }: Versioning, report: Report): void {
  const known = new Map<string, Span>();
  for (const { name, nameSpan } of versions) {
    const other = known.get(name);
    if (other === undefined) known.set(name, nameSpan);
    else report("GW4222", nameSpan, { version: name }, { span: other, message: "The other one is here." });
  }
}

function checkIds(api: ApiDocument, { versions }: Versioning, { apis }: ApiSet, report: Report): void {
  for (const { name, id, idSpan } of versions) {
    const found = apis.find((each) => each.id === id);
    if (found === undefined) {
      const ids = apis.filter((each) => each !== api).map((each) => each.id);
      report("GW4221", idSpan, { version: name, api: id, closest: suggest(id, ids) });
    } else if (found !== api && findVersioning(found) !== undefined) {
      report("GW4225", idSpan, { version: name, api: id });
    }
  }
}

/** A version that is switched off answers nobody; one whose API is nowhere was reported. */
function checkDefault(
  { idSpan }: ApiDocument,
  { versions, fallback, fallbackSpan = idSpan }: Versioning,
  { set, served }: Pick<SetFacts, "set" | "served">,
  report: Report,
): void {
  const version = versions.find(({ name }) => name === fallback);
  const isOff = set.apis.some(({ id }) => id === version?.id) && !served.some(({ id }) => id === version?.id);
  if (version !== undefined && !isOff) return;
  const names = [...versions.map(({ name }) => name), ownVersion].filter((name) => name !== fallback);
  report("GW4223", fallbackSpan, { version: fallback, closest: suggest(fallback, names) });
}

/** The longest listen path answers, so that one that another API has takes all requests of a version. */
function checkTaken(
  base: ApiDocument,
  { versions, location }: Versioning,
  mounted: readonly ApiDocument[],
  report: Report,
): void {
  if (location !== "url") return;
  for (const { name, nameSpan, id } of versions) {
    const path = `${listenPathOf(base)}${name}/`;
    const other = mounted.find((each) => hostOf(each) === hostOf(base) && listenPathOf(each) === path);
    if (other === undefined || other.id === id) continue;
    const related = { span: listenPathSpan(other) ?? other.idSpan, message: `\`${other.id}\` listens here.` };
    report("GW4224", nameSpan, { version: name, path, other: other.id }, related);
  }
}

/** What only other APIs lead to, and none does. Streams between brokers need no way in. */
function checkInternal(
  { served, places, routes }: Pick<SetFacts, "served" | "places" | "routes">,
  report: Report,
): void {
  for (const api of served) {
    if (!isInternal(api) || places.some((place) => place.api === api)) continue;
    const isServing = routes.some((route) => route.api === api) || hasUpstream(api);
    const node = findNode(api.gateway, "info", "state", "internal");
    if (isServing) report("GW4226", node?.span ?? api.idSpan, { api: api.id });
  }
}
