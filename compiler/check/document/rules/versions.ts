// Checks the versions of APIs against the APIs of a set: names, ids and locations that lead nowhere, or to another API.

import type { Report } from "../../../diagnostics/sink.ts";
import { suggest } from "../../../diagnostics/suggest.ts";
import type { ApiModel } from "../../../model/api.ts";
import { protectionBlocks } from "../../../model/blocks.ts";
import type { SetModel } from "../../../model/set.ts";
import { ownVersion, type Versioning } from "../../../model/versions.ts";
import type { Span } from "../../../source/source.ts";

/** Reports what is wrong with the versions of served APIs, and internal APIs that belong to no API. */
export function checkVersions(set: SetModel, report: Report): void {
  for (const api of set.served) {
    const versioning = api.versioning;
    if (versioning === undefined) continue;
    checkKey(versioning, report);
    checkNames(versioning, report);
    checkIds(api, versioning, set, report);
    checkDefault(api, versioning, set, report);
    checkTaken(api, versioning, set.mounted, report);
  }
  checkInternal(set, report);
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

function checkIds(api: ApiModel, { versions }: Versioning, { apis }: SetModel, report: Report): void {
  for (const { name, id, idSpan } of versions) {
    const found = apis.find((each) => each.id === id);
    if (found === undefined) {
      const ids = apis.filter((each) => each !== api).map((each) => each.id);
      report("GW4221", idSpan, { version: name, api: id, closest: suggest(id, ids) });
    } else if (found !== api && found.versioning !== undefined) {
      report("GW4225", idSpan, { version: name, api: id });
    }
  }
}

/**
 * Reports a default version that is switched off and answers no request; a version without an API is reported
 * elsewhere.
 */
function checkDefault(
  { idSpan }: ApiModel,
  { versions, fallback, fallbackSpan = idSpan }: Versioning,
  { apis, served }: SetModel,
  report: Report,
): void {
  const version = versions.find(({ name }) => name === fallback);
  const isOff = apis.some(({ id }) => id === version?.id) && !served.some(({ id }) => id === version?.id);
  if (version !== undefined && !isOff) return;
  const names = [...versions.map(({ name }) => name), ownVersion].filter((name) => name !== fallback);
  report("GW4223", fallbackSpan, { version: fallback, closest: suggest(fallback, names) });
}

/** Reports versions behind the listen path of another API: the longest listen path receives all their requests. */
function checkTaken(
  base: ApiModel,
  { versions, location }: Versioning,
  mounted: readonly ApiModel[],
  report: Report,
): void {
  if (location !== "url") return;
  for (const { name, nameSpan, id } of versions) {
    const path = `${base.listenPath}${name}/`;
    const other = mounted.find((each) => each.host === base.host && each.listenPath === path);
    if (other === undefined || other.id === id) continue;
    const related = { span: other.mount.span ?? other.idSpan, message: `\`${other.id}\` listens here.` };
    report("GW4224", nameSpan, { version: name, path, other: other.id }, related);
  }
}

/** Reports internal APIs that no other API leads to. Streams between brokers need no route. */
function checkInternal({ apis, served, places, routes }: SetModel, report: Report): void {
  const isKnown = ({ id }: { readonly id: string }) => apis.some((api) => api.id === id);
  // A version without an API was reported, and may mean this one.
  if (!served.every(({ versioning }) => versioning?.versions.every(isKnown) ?? true)) return;
  for (const api of served) {
    if (!api.isInternal || places.some((place) => place.api === api)) continue;
    const isServing = routes.some((route) => route.api === api) || api.upstream.url !== undefined;
    if (isServing) report("GW4226", api.internalSpan ?? api.idSpan, { api: api.id });
  }
}

/** Reports each version that lacks a protection of its base; as a warning if its document says so explicitly. */
export function checkWeakerVersions({ served }: Pick<SetModel, "served">, report: Report): void {
  for (const base of served) {
    for (const { name, id, idSpan } of base.versioning?.versions ?? []) {
      const version = served.find((each) => each.id === id);
      if (version === undefined || version === base) continue;
      for (const { field, isApplied, isOpened } of protections) {
        if (!isApplied(base) || isApplied(version)) continue;
        const details = { version: name, api: id, base: base.id, field };
        report(isOpened(version) ? "GW4355" : "GW4354", idSpan, details);
      }
    }
  }
}

interface ComparedProtection {
  readonly field: string;
  isApplied(api: ApiModel): boolean;
  /** Whether the document says explicitly that it does without the protection. */
  isOpened(api: ApiModel): boolean;
}

const protections: readonly ComparedProtection[] = [
  {
    field: "authentication",
    isApplied: ({ authentication }) => authentication.isRequiredOfAll,
    isOpened: ({ authentication }) => authentication.isOpenInWriting,
  },
  ...protectionBlocks.map(
    ({ name, field }): ComparedProtection => ({
      field,
      isApplied: ({ blocks }) => blocks[name]?.isOff === false,
      isOpened: ({ blocks }) => blocks[name]?.isOff === true,
    }),
  ),
];
