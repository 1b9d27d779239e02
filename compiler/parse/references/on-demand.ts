// Follows the references of a large document that refers only to itself, each when its target is needed.

import { invariant } from "../../diagnostics/invariant.ts";
import { isJson } from "../../source/source.ts";
import type { References } from "../../trees/api.ts";
import type { DocumentNode, MapNode } from "../../trees/document.ts";
import { findReference, type LocateOptions, locate, type Targets } from "./locate.ts";
import { createReferences, onlyRoot } from "./references.ts";

/**
 * Whether a document refers only to itself, judged by its text. In YAML some other keys cannot be distinguished from
 * references.
 */
export function refersToItself(root: DocumentNode): boolean {
  const { text, file } = root.span.source;
  return !(isJson(file) ? /"\$ref"\s*:\s*"(?!#)/ : /\$ref["']?\s*:(?!\s*["']?#)/).test(text);
}

/** Returns the references of a document for which `refersToItself` is true. Broken ones are reported on access. */
export function followOnDemand(options: LocateOptions): References {
  const targets: Targets = new Map();
  /** References whose chains were followed, and reported if they are cycles. */
  const done = new Set<DocumentNode>();
  return createReferences(
    (node) => {
      if (node.kind !== "map" || findReference(node) === undefined) return undefined;
      return { target: findTarget(node) };
    },
    onlyRoot,
    true,
  );

  function findTarget(node: MapNode): DocumentNode | undefined {
    const target = locateTarget(node);
    if (target === undefined || done.has(node)) return target;
    // Most targets are no references, and no set is needed for them.
    if (done.has(target) || findReference(target) === undefined) done.add(node);
    else reportCycle(node);
    return target;
  }

  function locateTarget(node: MapNode): DocumentNode | undefined {
    if (targets.has(node)) return targets.get(node);
    // Set first, so that a pointer that leads through itself ends.
    targets.set(node, undefined);
    let located = locate(node, targets, options);
    while (located.kind !== "target") {
      invariant(located.kind === "reference", "a document that refers to itself names no file");
      findTarget(located.node);
      located = locate(node, targets, options);
    }
    targets.set(node, located.target);
    return located.target;
  }

  /** Reports a reference whose chain of references leads to a cycle. Without recursion: it can be longer than the stack. */
  function reportCycle(node: MapNode): void {
    const met = new Set<DocumentNode>();
    let last = node;
    let at: DocumentNode | undefined = node;
    while (at?.kind === "map" && !done.has(at) && !met.has(at) && findReference(at) !== undefined) {
      met.add(at);
      last = at;
      at = locateTarget(at);
    }
    // All references of the cycle are the same mistake.
    const written = at !== undefined && met.has(at) ? findReference(last) : undefined;
    if (written !== undefined) options.report("GW1032", written.node.span, { reference: written.text });
    for (const each of met) done.add(each);
  }
}
