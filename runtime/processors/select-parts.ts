import type { Processor } from "../component/component.ts";
import type { SelectPartsOptions } from "./generated/select-parts-options.ts";

/**
 * `select_parts`: of a batch only the messages at `parts`, in that order; -1 is the last. Places that a batch does
 * not have are passed over. The others are dropped, and acknowledged with those that go on.
 */
export function selectParts({ parts }: SelectPartsOptions): Processor {
  return {
    process(batch) {
      const selected = parts.flatMap((part) => batch.at(part) ?? []);
      return selected.length === 0 ? [] : [selected];
    },
  };
}
