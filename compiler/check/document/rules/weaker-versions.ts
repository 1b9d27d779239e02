// Versions that protect less than the API that lists them: who names such a version passes what the API enforces.

import type { Report } from "../../../diagnostics/sink.ts";
import type { ApiModel } from "../../../model/api.ts";
import { protectionBlocks } from "../../../model/blocks.ts";
import type { SetModel } from "../../../model/set.ts";

/** Reports each version that lacks a protection of its base; a warning where its document says so itself. */
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
  /** Whether the document says in writing that it does without. */
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
