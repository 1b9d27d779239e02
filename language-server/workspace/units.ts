// Assigns documents to units of checking: to the set that contains them, or to a unit of their own.

import { isMappingName } from "../analysis/analyse-mapping.ts";
import { isSettingsName } from "./find-sets.ts";
import { isOurs } from "./is-ours.ts";
import { absolutePath, pathOfUri } from "./paths.ts";
import type { OpenTexts } from "./texts.ts";
import { createUnit, type Unit } from "./unit.ts";

/** The units of a workspace. */
export interface Units {
  all(): readonly Unit[];
  /** Adds a unit for a set or document, unless it has one. */
  add(path: string): void;
  delete(path: string): void;
  /** Returns the unit that contains a document; a document that a set only refers to has a unit of its own. */
  unitOf(path: string): Unit | undefined;
  /** Returns a set above a document that was found but never checked: it may contain the document. */
  unreadAround(path: string): Unit | undefined;
  /**
   * Creates units for open documents that belong to no set, and removes those of documents that now belong to one or are
   * not ours. Returns whether any was removed.
   */
  assign(): boolean;
}

/** Returns an empty list of units. */
export function createUnits(texts: OpenTexts): Units {
  const byPath = new Map<string, Unit>();
  const all = () => [...byPath.values()];
  const add = (path: string): void => {
    if (!byPath.has(path)) byPath.set(path, createUnit(path));
  };
  return {
    all,
    add,
    delete: (path) => void byPath.delete(path),
    unitOf(path) {
      const units = all();
      const held = units.find((unit) => unit.path !== path && holds(unit, path));
      return held ?? byPath.get(path) ?? units.find((unit) => unit.dependencies.has(path));
    },
    unreadAround: (path) =>
      all().find(
        (unit) =>
          isSettingsName(unit.path) &&
          unit.isStale &&
          unit.analysis === undefined &&
          path.startsWith(unit.path.slice(0, unit.path.lastIndexOf("/") + 1)),
      ),
    assign() {
      let isRemoved = false;
      for (const text of texts.all()) {
        const path = pathOfUri(text.uri);
        const isHeld = all().some((unit) => unit.path !== path && holds(unit, path));
        const isWanted = isSettingsName(path) || (!isHeld && isOurs(path, text.getText()));
        if (isWanted) add(path);
        else if (byPath.delete(path)) isRemoved = true;
      }
      return isRemoved;
    },
  };
}

/** Whether a document is an API, the settings or an imported mapping of a unit. */
function holds({ analysis, readable, dependencies, path: own }: Unit, path: string): boolean {
  if (own === path) return true;
  if (isMappingName(path)) return dependencies.has(path);
  const set = analysis?.set ?? readable?.set;
  if (set?.apis.some(({ file }) => absolutePath(file.path) === path) === true) return true;
  // A document with a syntax error is temporarily in no set: it stays with its unit.
  const isRead = set?.documents.some(({ file }) => absolutePath(file.path) === path) === true;
  const isSet = isSettingsName(own) || set?.settingsFile !== undefined;
  return isSet && dependencies.has(path) && !isRead;
}
