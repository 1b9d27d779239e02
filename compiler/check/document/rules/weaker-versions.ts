// Versions that protect less than the API that lists them: who names such a version passes what the API enforces.

import type { Report } from "../../../diagnostics/sink.ts";
import { appliedBlock, isSwitchedOff, protectionBlocks } from "../../../model/protection-blocks.ts";
import { asksWhoCalls, authenticationSwitch, securityOf } from "../../../model/security.ts";
import { findVersioning } from "../../../model/versions.ts";
import type { ApiDocument } from "../../../trees/api.ts";
import { findNode } from "../../../trees/document.ts";
import type { SetFacts } from "../set-facts.ts";

/** Reports each version that lacks a protection of its base; a warning where its document says so itself. */
export function checkWeakerVersions({ served }: Pick<SetFacts, "served">, report: Report): void {
  for (const base of served) {
    for (const { name, id, idSpan } of findVersioning(base)?.versions ?? []) {
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
  isApplied(api: ApiDocument): boolean;
  /** Whether the document says in writing that it does without. */
  isOpened(api: ApiDocument): boolean;
}

const protections: readonly ComparedProtection[] = [
  { field: "authentication", isApplied: asksEverybody, isOpened: isOpenInWriting },
  ...protectionBlocks.map(
    (path): ComparedProtection => ({
      field: path.at(-1) ?? "",
      isApplied: (api) => appliedBlock(api, path) !== undefined,
      isOpened: ({ gateway }) => isSwitchedOff(findNode(gateway, ...path)),
    }),
  ),
];

/** Whether no request gets in without a credential, but for operations that are open themselves. */
function asksEverybody(api: ApiDocument): boolean {
  const { general } = securityOf(api);
  return asksWhoCalls(api) && general.length > 0 && general.every(({ schemes }) => schemes.length > 0);
}

/** `enabled: false`, `security: []` and `security: [{}]`. */
function isOpenInWriting(api: ApiDocument): boolean {
  if (authenticationSwitch(api)?.value === false) return true;
  const security = findNode(api.root, "security");
  return security?.kind === "list" && security.items.every(({ kind }) => kind === "map");
}
